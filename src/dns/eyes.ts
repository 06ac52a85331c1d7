import type { Eyes } from '../domain/eyes.ts';
import type { Look } from '../domain/observation.ts';
import { lookForCaa } from './caa.ts';
import { lookAtDomain } from './domain-check.ts';
import type { Fetch } from './domain-connect.ts';
import { observeChallenge, observeRecords, type Sight } from './observe.ts';
import { eyesOptions, type EyesOptions } from './options.ts';
import { createRecursion } from './recursion.ts';
import { createResolver } from './resolver.ts';
import { delegatedDomain } from './suffix.ts';
import { createZoneCuts } from './zone-cut.ts';

/** Eyes for the real DNS. `fetch` reads Domain Connect settings and must dial public addresses only; without it none are read. */
export function createEyes(options: EyesOptions, outside: { fetch?: Fetch; now?: () => Date } = {}): Eyes {
  const settings = eyesOptions.parse(options);
  const resolver = createResolver(settings.timeouts);
  const recursion = createRecursion(resolver, settings);
  const sight: Sight = { resolver, settings, cuts: createZoneCuts(resolver, recursion, settings) };
  const now = () => (outside.now?.() ?? new Date()).toISOString();

  /** Bounds a look in time: what is open when it ends is unknown. Only the caller's own signal makes it reject. */
  async function within<T>(signal: AbortSignal | undefined, look: (limit: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(settings.timeouts.lookMs);
    const seen = await look(signal ? AbortSignal.any([signal, limit]) : limit);
    signal?.throwIfAborted();
    return seen;
  }

  /** A look with the times between which it was true. */
  function timed<T extends Omit<Look, 'startedAt' | 'finishedAt'>>(
    signal: AbortSignal | undefined,
    look: (limit: AbortSignal) => Promise<T>,
  ) {
    const startedAt = now();
    return within(signal, async (limit) => ({ ...(await look(limit)), startedAt, finishedAt: now() }));
  }

  return {
    lookForChallenge: (hostname, challenge, signal) =>
      timed(signal, (limit) => observeChallenge(sight, hostname, challenge, limit)),
    lookAtRecords: (hostname, wanted, signal) =>
      timed(signal, (limit) => observeRecords(sight, hostname, wanted, limit)),
    checkDomain: (domain, wanted, signal) =>
      timed(signal, (limit) => lookAtDomain(sight, domain, wanted, outside.fetch, limit)),
    caa: (hostname, signal) => within(signal, (limit) => lookForCaa(sight.cuts, hostname, limit)),
    dnssec: (hostname, signal) =>
      within(signal, async (limit) => {
        const reply = await recursion.ask(delegatedDomain(hostname), 'NS', limit);
        return reply.ok ? reply.dnssec : 'unknown';
      }),
    close() {
      resolver.close();
      return Promise.resolve();
    },
  };
}
