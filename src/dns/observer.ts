import type { Observer } from '../domain/observer.ts';
import type { Observation } from '../domain/observation.ts';
import { observeCaa } from './caa.ts';
import { observeDomain } from './observe-domain.ts';
import type { Fetch } from './domain-connect.ts';
import { observeChallenge, observeRecords, type ObserverContext } from './observe.ts';
import { observerOptions, type ObserverOptions } from './options.ts';
import { createRecursion } from './recursion.ts';
import { createResolver } from './resolver.ts';
import { delegatedDomain } from './suffix.ts';
import { createZoneCuts } from './zone-cut.ts';

/** Observer for the real DNS. `fetch` reads Domain Connect settings and must dial public addresses only; without it none are read. */
export function createObserver(options: ObserverOptions, outside: { fetch?: Fetch; now?: () => Date } = {}): Observer {
  const settings = observerOptions.parse(options);
  const resolver = createResolver(settings.timeouts);
  const recursion = createRecursion(resolver, settings);
  const context: ObserverContext = { resolver, settings, cuts: createZoneCuts(resolver, recursion, settings) };
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
  function timed<T extends Omit<Observation, 'startedAt' | 'finishedAt'>>(
    signal: AbortSignal | undefined,
    look: (limit: AbortSignal) => Promise<T>,
  ) {
    const startedAt = now();
    return within(signal, async (limit) => ({ ...(await look(limit)), startedAt, finishedAt: now() }));
  }

  return {
    observeChallenge: (hostname, challenge, signal) =>
      timed(signal, (limit) => observeChallenge(context, hostname, challenge, limit)),
    observeRecords: (hostname, wanted, signal) =>
      timed(signal, (limit) => observeRecords(context, hostname, wanted, limit)),
    observeDomain: (domain, wanted, signal) =>
      timed(signal, (limit) => observeDomain(context, domain, wanted, outside.fetch, limit)),
    observeZone: (hostname, signal) =>
      within(signal, async (limit) => (await context.cuts.find(hostname, limit)).observation),
    caa: (hostname, signal) => within(signal, (limit) => observeCaa(context.cuts, hostname, limit)),
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
