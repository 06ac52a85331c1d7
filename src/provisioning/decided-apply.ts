import type { ZoneChange, ZoneRecord } from '../domain/zone/zone-record.ts';
import type { Account, Applied, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';

/** Time that we wait for the answer to a write that was sent. */
const SENT_MS = 4 * 60_000;

/** A decision, and the change that carries it out; undefined where nothing is to be written. */
export interface Deciding<D> {
  decision: D;
  change: ZoneChange | undefined;
}

/** The last decision, with the provider's answer or its refusal. */
export type DecidedApply<D> = { decision: D | undefined } & ({ applied: Applied } | { refusal: ProviderError });

/**
 * Reads, decides and writes in one call of the provider's `apply`, so that the zone's owner has no moment in between.
 * The signal ends the reading and never aborts a write: the archive could not clean up what arrives later.
 */
export async function decidedApply<D>(
  account: Account,
  at: { zone: Zone; hosts: readonly string[]; signal: AbortSignal },
  decide: (current: readonly ZoneRecord[], previous: D | undefined) => Promise<Deciding<D>>,
): Promise<DecidedApply<D>> {
  const made: { last?: Deciding<D> } = {};
  const reading = new AbortController();
  const onAbort = () => {
    if (made.last?.change === undefined) reading.abort(at.signal.reason);
  };
  if (at.signal.aborted) onAbort();
  else at.signal.addEventListener('abort', onAbort, { once: true });
  const signal = AbortSignal.any([reading.signal, AbortSignal.timeout(SENT_MS)]);
  try {
    const applied = await account.apply(
      at.zone,
      {
        hosts: at.hosts,
        async decide(current) {
          made.last = await decide(current, made.last?.decision);
          return made.last.change;
        },
      },
      { signal },
    );
    return { decision: made.last?.decision, applied };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { decision: made.last?.decision, refusal: error };
  } finally {
    at.signal.removeEventListener('abort', onAbort);
  }
}
