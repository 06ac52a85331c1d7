import { readZone, upwards } from '../db/zone/sandbox-records.ts';
import type { Queryable } from '../db/pool.ts';
import type { NameQuestion, NameServers, ServedZone } from '../domain/observation/observe.ts';
import type {
  Answer,
  NameObservation,
  ObservedRecord,
  ObservedType,
  ServerView,
} from '../domain/observation/observation.ts';
import { printableOf } from '../domain/observation/printable-text.ts';
import { canonicalValue, type DnsRecord } from '../domain/record.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';

/** One tenant's DNS in the sandbox at one time. */
export interface SandboxZone {
  db: Queryable;
  tenantId: string;
  now: Date;
  /** Records that were published before this time no longer exist. */
  expiredBefore: Date;
  /** Records that exist although they are not in the table. */
  extraRecords: readonly DnsRecord[];
  /** Addresses of the edge. `cnameTarget` is the only name outside the sandbox to which sandbox names can point. */
  edge: EdgeTargets;
}

export const NAMESERVER = 'ns.sandbox.test';
const SERVER = { name: NAMESERVER, address: '127.0.0.1', port: 53 };
const RESOLVER = { name: null, address: '127.0.0.1', port: 53 };

/** Returns the zone of a hostname. Every name directly below .test is a zone. */
export const zoneOf = (hostname: string): string => hostname.split('.').slice(-2).join('.');

/** Serves the sandbox's table like name servers: one authoritative server, and one resolver without a cache. */
export function sandboxNameServers(zone: SandboxZone): NameServers {
  async function ask({ name, types }: NameQuestion): Promise<NameObservation> {
    return { name, servers: [await view(name, types)], resolvers: [], proxy: null };
  }

  async function view(name: string, types: ObservedType[]): Promise<ServerView> {
    const present = await recordsAt(zone, name);
    return { server: SERVER, answers: Object.fromEntries(types.map((type) => [type, answer(present, type)])) };
  }

  return {
    zoneOf: (hostname) => Promise.resolve(served(hostname, ask)),
    async askResolvers(_zone, { name, types }) {
      const { answers } = await view(name, types);
      return [{ server: RESOLVER, answers }];
    },
    async lookup(name, type) {
      const seen = wireRecords(await recordsAt(zone, name), type);
      const alias = seen.find((record) => record.type === 'CNAME')?.value;
      return alias !== undefined && type !== 'CNAME'
        ? { values: [], alias, cause: null }
        : { values: seen.map(({ value }) => value), cause: null };
    },
    unusedLabel: 'unused',
  };
}

/** Describes the zone of a hostname: registered, with one name server, which the resolver confirms. */
const served = (hostname: string, ask: ServedZone['ask']): ServedZone => {
  const name = zoneOf(hostname);
  const nameservers = [NAMESERVER];
  return {
    observation: { name, registered: true, nameservers, unresolved: [], soa: null, dnssec: 'insecure', cause: null },
    ask,
    askOne: ask,
    confirm: () =>
      Promise.resolve({
        domain: name,
        nameservers,
        resolved: [],
        resolvers: [{ resolver: RESOLVER, nameservers, addresses: [] }],
      }),
  };
};

async function recordsAt(zone: SandboxZone, name: string): Promise<DnsRecord[]> {
  const { db, tenantId, now, expiredBefore, extraRecords, edge } = zone;
  if (name === canonicalValue('CNAME', edge.cnameTarget)) return addressesOf(edge);
  const parents = upwards(name).slice(1);
  const stored = await readZone(db, tenantId, [name, ...parents.flatMap(withWildcard)], now, expiredBefore);
  const at = (host: string) => [...stored, ...extraRecords].filter((record) => record.host === host);
  if (at(name).length > 0) return at(name);
  const closest = parents.find((parent) => withWildcard(parent).some((host) => at(host).length > 0));
  return closest === undefined ? [] : at(`*.${closest}`);
}

/** A wildcard answers for names that do not exist, at the closest parent that exists (RFC 4592). */
const withWildcard = (parent: string): string[] => [parent, `*.${parent}`];

function addressesOf({ cnameTarget, ipv4, ipv6 }: EdgeTargets): DnsRecord[] {
  const records = (type: 'A' | 'AAAA', values: readonly string[]): DnsRecord[] =>
    values.map((value) => ({ host: cnameTarget, type, value, ttl: 300, priority: null }));
  return [...records('A', ipv4), ...records('AAAA', ipv6)];
}

function answer(present: DnsRecord[], type: ObservedType): Answer {
  const records = wireRecords(present, type);
  return { outcome: 'answered', exists: present.length > 0, records, omitted: 0, negativeTtl: null };
}

/**
 * Returns the records that a server would send. A CNAME replaces all other types. An ALIAS acts as a CNAME, but only
 * for questions about A and AAAA.
 */
function wireRecords(present: DnsRecord[], type: ObservedType): ObservedRecord[] {
  const isAddress = type === 'A' || type === 'AAAA';
  const aliases = present.filter((record) => record.type === 'CNAME' || (isAddress && record.type === 'ALIAS'));
  const own = present.filter((record) => record.type === type);
  return (aliases.length > 0 ? aliases : own).map(({ type: stored, value, ttl, priority }) => ({
    type: stored === 'ALIAS' ? 'CNAME' : stored,
    value: stored === 'TXT' ? printableOf(value) : canonicalValue(stored, value),
    priority,
    ttl,
  }));
}
