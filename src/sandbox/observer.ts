import type { Queryable } from '../db/pool.ts';
import { observeCaa } from '../domain/observation/caa.ts';
import type { Detection } from '../domain/observation/domain-observation.ts';
import { observeChallenge, observeDomain, observeRecords } from '../domain/observation/observe.ts';
import { observeCname } from '../domain/observation/cname-proof.ts';
import { belowWildcards } from '../domain/observation/below-wildcards.ts';
import type { Observer } from '../domain/observation/observer.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { NO_WILDCARD } from '../domain/observation/wildcard.ts';
import { behaviourOf, type SandboxCustomer } from './behaviours.ts';
import { sandboxNameServers, zoneOf } from './name-servers.ts';

export interface SandboxParts {
  db: Queryable;
  edge: EdgeTargets;
  detection: Detection;
}

/** Creates an observer of one tenant's sandbox DNS at one time. It only reads; `act` publishes records. */
export function sandboxObserver(
  { db, edge, detection }: SandboxParts,
  { tenantId, liveAt }: { tenantId: string; liveAt: number | null },
  now: number,
): Observer {
  const at = new Date(now);
  const time = { startedAt: at.toISOString(), finishedAt: at.toISOString() };
  const servers = (hostname: string, extraRecords: Parameters<typeof sandboxNameServers>[0]['extraRecords'] = []) => {
    const expiredBefore = behaviourOf(hostname).expiredBefore({ hostname, liveAt }, now);
    const zone = { db, tenantId, now: at, expiredBefore, extraRecords, edge };
    return belowWildcards(sandboxNameServers(zone), crypto.randomUUID());
  };

  return {
    async observeChallenge(hostname, challenge) {
      return { ...(await observeChallenge(servers(hostname), hostname, challenge)), ...time };
    },
    seesChallenge: () => Promise.resolve(null), // a change of the sandbox's table touches the connections
    async observeCname(hostname, target) {
      return { ...(await observeCname(servers(hostname), hostname, target)), ...time };
    },
    async observeRecords(hostname, wanted) {
      return { ...(await observeRecords(servers(hostname), hostname, wanted)), ...time };
    },
    async observeDomain(hostname, wanted) {
      const registrableDomain = zoneOf(hostname);
      const kind = registrableDomain === hostname ? ('apex' as const) : ('subdomain' as const);
      const name = { hostname, kind, registrableDomain };
      const extraRecords = unwantedBy({ hostname, liveAt }, now);
      return { ...(await observeDomain(servers(hostname, extraRecords), name, wanted, { detection })), ...time };
    },
    observeZone: async (hostname) => (await servers(hostname).zoneOf(hostname)).observation,
    observeWildcard: () => Promise.resolve(NO_WILDCARD), // the sandbox serves no wildcards
    observeOffer: () => Promise.resolve(null),
    lookup: () => (name, type) => servers(name).lookup(name, type),
    caa: (hostname) => observeCaa(servers(hostname).lookup, hostname),
    dnssec: () => Promise.resolve('insecure'),
    close: () => Promise.resolve(),
  };
}

/** Returns the records that the behaviour adds unasked, before the first check publishes them. */
const unwantedBy = (customer: SandboxCustomer, now: number) =>
  behaviourOf(customer.hostname)
    .publishes(customer, [], now)
    .map(({ record }) => record);
