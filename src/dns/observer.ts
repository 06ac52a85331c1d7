import { observeCaa } from '../domain/observation/caa.ts';
import type { Lookup } from '../domain/observation/alias-path.ts';
import type { DcOffer } from '../domain/zone/domain-connect.ts';
import type { Detection } from '../domain/observation/domain-observation.ts';
import {
  askWildcard,
  observeChallenge,
  observeDomain,
  observeRecords,
  type NameServers,
} from '../domain/observation/observe.ts';
import type { Observation } from '../domain/observation/observation.ts';
import { observeCname } from '../domain/observation/cname-proof.ts';
import { belowWildcards } from '../domain/observation/below-wildcards.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { createDelegations } from './delegations.ts';
import { createDetection } from './detect.ts';
import { lookup, nameServers, seesChallenge, type ObserverContext } from './observe.ts';
import { observerOptions, type ObserverOptions } from './options.ts';
import { createRecursion } from './recursion.ts';
import { createResolver } from './resolver.ts';
import { createRightRecords } from './right-records.ts';
import { createShare } from './shared-answers.ts';
import { createRecentLookups } from './recent-lookups.ts';
import { delegatedDomain, kindOf, registrableDomain } from './suffix.ts';
import { createZoneCuts } from './zone-cut.ts';

export interface ObserverParts {
  /** Asks the provider of the zone what it offers by Domain Connect. Without it, no provider is asked. */
  discover?: (lookup: Lookup, zone: string, signal: AbortSignal, own?: readonly string[]) => Promise<DcOffer | null>;
  /** Knows the name servers of providers. Without it, only hosts that we cannot write to are recognised. */
  detection?: Detection;
  now?: () => Date;
  /** Clock in milliseconds that never goes back, by which shared answers expire. */
  clock?: () => number;
}

export function createObserver(options: ObserverOptions, parts: ObserverParts = {}): Observer {
  const settings = observerOptions.parse(options);
  const { discover, detection = createDetection([]), clock = () => performance.now() } = parts;
  const resolver = createResolver(settings.timeouts);
  const recursion = createRecursion(resolver, settings);
  const share = createShare({ limitMs: settings.timeouts.checkMs, now: clock });
  const delegations = createDelegations(recursion, share, clock);
  const cuts = createZoneCuts({ resolver, recursion, delegations, settings, share, now: clock });
  const context: ObserverContext = { resolver, recursion, delegations, settings, cuts };
  const rightRecords = createRightRecords(clock);
  const recentLookups = createRecentLookups((signal) => (name, type) => lookup(cuts, name, type, signal), share);
  const now = () => (parts.now?.() ?? new Date()).toISOString();

  /** Limits the time of an observation: open questions become unknown. Only the caller's own signal makes it reject. */
  async function within<T>(
    signal: AbortSignal | undefined,
    observe: (servers: NameServers, limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const time = AbortSignal.timeout(settings.timeouts.checkMs);
    const limit = signal ? AbortSignal.any([signal, time]) : time;
    const seen = await observe(belowWildcards(nameServers(context, limit), crypto.randomUUID()), limit);
    signal?.throwIfAborted();
    return seen;
  }

  function timed<T extends Omit<Observation, 'startedAt' | 'finishedAt'>>(
    signal: AbortSignal | undefined,
    observe: (servers: NameServers, limit: AbortSignal) => Promise<T>,
  ) {
    const startedAt = now();
    return within(signal, async (servers, limit) => ({
      ...(await observe(servers, limit)),
      startedAt,
      finishedAt: now(),
    }));
  }

  return {
    observeChallenge: (hostname, challenge, signal) =>
      timed(signal, (servers) => observeChallenge(servers, hostname, challenge)),
    seesChallenge: (hostname, challenge, turn, signal) => seesChallenge(context, { hostname, challenge, turn }, signal),
    observeCname: (hostname, target, signal) => timed(signal, (servers) => observeCname(servers, hostname, target)),
    async observeRecords(hostname, wanted, signal, { recent = false } = {}) {
      const known = recent ? rightRecords.get(hostname, wanted) : undefined;
      if (known) return known;
      const seen = await timed(signal, (servers) => observeRecords(servers, hostname, wanted));
      rightRecords.set(wanted, seen);
      return seen;
    },
    observeDomain: (hostname, wanted, signal, own) => {
      const name = { hostname, kind: kindOf(hostname), registrableDomain: registrableDomain(hostname) };
      return timed(signal, (servers, limit) => {
        const offer = discover && ((zone: string) => discover(servers.lookup, zone, limit, own));
        return observeDomain(servers, name, wanted, { detection, ...(offer ? { discover: offer } : {}) });
      });
    },
    observeZone: (hostname, signal) => within(signal, async (servers) => (await servers.zoneOf(hostname)).observation),
    observeWildcard: (name, signal) =>
      within(signal, async (servers) => askWildcard(servers, await servers.zoneOf(name), name)),
    observeOffer: (hostname, signal, own) =>
      within(signal, async (servers, limit) => {
        const { observation } = await servers.zoneOf(hostname);
        if (discover === undefined || observation.registered === false || observation.name === null) return null;
        return discover(servers.lookup, observation.name, limit, own);
      }),
    lookup: (signal, { recent = false } = {}) => {
      const time = () => AbortSignal.timeout(settings.timeouts.checkMs);
      const limit = () => (signal ? AbortSignal.any([signal, time()]) : time());
      return (name, type) =>
        recent ? recentLookups(limit())(name, type) : nameServers(context, limit()).lookup(name, type);
    },
    // An order depends on both, and one that a CA must refuse counts against its limits. So neither is shared.
    caa: (hostname, signal) => within(signal, (servers) => observeCaa(servers.lookup, hostname)),
    dnssec: (hostname, signal) =>
      within(signal, async (_servers, limit) => {
        const domain = delegatedDomain(hostname);
        const reply = await recursion.ask(domain, 'NS', limit, domain);
        return reply.ok ? reply.dnssec : 'unknown';
      }),
    close() {
      resolver.close();
      return Promise.resolve();
    },
  };
}
