import type { Found, Lookup } from '../domain/observation/alias-path.ts';
import { observeCaa } from '../domain/observation/caa.ts';
import type { CaaObservation } from '../domain/observation/observation.ts';
import { baseOf } from '../domain/certificate/dns-validation.ts';
import { SHARED_MS, type Share } from './shared-answers.ts';

type LookupUntil = (signal: AbortSignal) => Lookup;

/** Lookups that share answers of the last seconds. */
export interface SharedLookups {
  /** Shares every answer. Use it only where no person waits for a change. */
  recent: LookupUntil;
  /** Shares that a name above the hostname, or its target, has no CAA records. Records themselves are read anew. */
  caa(hostname: string, signal: AbortSignal): Promise<CaaObservation>;
}

export function createSharedLookups(fresh: LookupUntil, share: Share): SharedLookups {
  const sharing = (isShared: (found: Found) => boolean): LookupUntil => {
    const answers = share<Found>((found) => (found.cause === null && isShared(found) ? SHARED_MS : 0));
    return (signal) => async (name, type) =>
      (await answers.find(`${type} ${name}`, signal, (limit) => fresh(limit)(name, type))) ?? UNANSWERED;
  };
  const absent = sharing(({ values, alias }) => values.length === 0 && alias === undefined);
  return {
    recent: sharing(() => true),
    caa(hostname, signal) {
      const [own, others] = [fresh(signal), absent(signal)];
      return observeCaa((name, type) => (name === baseOf(hostname) ? own : others)(name, type), hostname);
    },
  };
}

const UNANSWERED: Found = { values: [], cause: 'timeout' };
