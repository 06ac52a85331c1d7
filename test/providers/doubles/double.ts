import type { Credential } from '../../../src/providers/contract.ts';
import type { SeedRecord } from '../lab.ts';
import type { DoubleServer } from './serve.ts';

/**
 * A provider's API as documented, in memory. It stores zones and records, checks credentials and input, pages, counts
 * requests, and refuses in the provider's own words. `start` in doubles/<slug>.ts creates one.
 */
export interface ProviderDouble extends DoubleServer {
  /** A credential that this double accepts, with the fields of the provider's descriptor. */
  credential: Credential;
  /** A well-formed credential that this double does not know. */
  stranger: Credential;
  /** Endpoint that issues access tokens, for providers that have a separate one. */
  tokenUrl?: string;
  addZone(name: string, records?: readonly SeedRecord[]): void;
  /** Returns the records that the provider's name servers serve: after its second step, if there is one. */
  served(zone: string): readonly ServedRecord[];
  /** Returns all records of the zone except the SOA in the provider's own form, without ids, sorted. */
  dump(zone: string): string[];
}

export interface DoubleOptions {
  port?: number;
  /**
   * Whether the double refuses more requests than the provider answers in a long period. Suites send more requests than
   * programs do.
   */
  counts?: boolean;
}

export type StartDouble = (options?: DoubleOptions) => Promise<ProviderDouble>;

/** A record in zone-file form, with an absolute name without a trailing dot. */
export interface ServedRecord {
  name: string;
  type: string;
  ttl: number;
  rdata: string;
}

/** Returns the absolute name of a seed. */
export const hostOfSeed = ({ name }: SeedRecord, zone: string): string => (name === '' ? zone : `${name}.${zone}`);

/** Returns the zone's own name servers, for providers that serve them and do not list them. */
export const ownServers = (zone: string, servers: readonly string[]): ServedRecord[] =>
  servers.map((server) => ({ name: zone, type: 'NS', ttl: 3600, rdata: `${server}.` }));

/** Returns the provider's records as sorted lines, with sorted keys. */
export const dumpOf = (records: readonly object[]): string[] =>
  records.map((record) => JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
