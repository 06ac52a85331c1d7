import type { Credential } from '../../../src/providers/contract.ts';
import type { SeedRecord } from '../lab.ts';
import type { DoubleServer } from './serve.ts';

/**
 * A provider's API as documented, in memory: it keeps zones and records, checks credentials and input, pages, counts
 * requests, and refuses in the provider's own words. `start` in doubles/<slug>.ts makes one.
 */
export interface ProviderDouble extends DoubleServer {
  /** Accepted by this double, with the fields of the provider's descriptor. */
  credential: Credential;
  /** Of the same form, and unknown here. */
  stranger: Credential;
  /** Where access tokens are handed out, for providers that do so at another address. */
  tokenUrl?: string;
  addZone(name: string, records?: readonly SeedRecord[]): void;
  /** What the provider's name servers answer from: after its second step, where there is one. */
  served(zone: string): readonly ServedRecord[];
  /** Everything the zone holds but its SOA, in the provider's own words and without ids, sorted. */
  dump(zone: string): string[];
}

export interface DoubleOptions {
  port?: number;
  /** Whether it refuses more requests than the provider answers in a long stretch. Suites ask more often than programs do. */
  counts?: boolean;
}

export type StartDouble = (options?: DoubleOptions) => Promise<ProviderDouble>;

/** A record as a zone file has it: the name absolute and without a trailing dot. */
export interface ServedRecord {
  name: string;
  type: string;
  ttl: number;
  rdata: string;
}

/** A seed's name made absolute. */
export const hostOfSeed = ({ name }: SeedRecord, zone: string): string => (name === '' ? zone : `${name}.${zone}`);

/** The zone's own servers, where the provider answers with them and lists no such records. */
export const ownServers = (zone: string, servers: readonly string[]): ServedRecord[] =>
  servers.map((server) => ({ name: zone, type: 'NS', ttl: 3600, rdata: `${server}.` }));

/** Sorted lines of whatever the provider keeps, with its keys in one order. */
export const dumpOf = (records: readonly object[]): string[] =>
  records.map((record) => JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
