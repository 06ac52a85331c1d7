import type { Found, Lookup } from '../domain/observation/alias-path.ts';
import { SHARED_MS, type Share } from './shared-answers.ts';

type LookupUntil = (signal: AbortSignal) => Lookup;

/** Shares the answers of the last seconds. Use these lookups only where no person waits for a change. */
export function createRecentLookups(fresh: LookupUntil, share: Share): LookupUntil {
  const answers = share<Found>(({ cause }) => (cause === null ? SHARED_MS : 0));
  return (signal) => async (name, type) =>
    (await answers.find(`${type} ${name}`, signal, (limit) => fresh(limit)(name, type))) ?? UNANSWERED;
}

const UNANSWERED: Found = { values: [], cause: 'timeout' };
