import { z } from 'zod';
import { ENDED, PROVED } from '../../domain/connection/state-sets.ts';
import { plainRecord, type DnsRecord } from '../../domain/record.ts';
import { isExclusive } from '../../domain/zone/rivals.ts';
import { jsonOf, sql, type Queryable } from '../pool.ts';
import { inStates } from '../state-list.ts';
import { cutoverIsInProgress } from '../zone/cutovers.ts';
import { StoredDesiredRecord, type ConnectionRow } from './connection-row.ts';

/** Hosts at which a connection wants a record that must be the only one. */
const exclusiveHosts = ({ desired_records }: ConnectionRow): string[] =>
  desired_records.filter(isExclusive).map(({ host }) => host);

const wantedEarlier = (row: ConnectionRow, hosts: readonly string[]) => sql.fragment`
  SELECT record FROM connections AS other, jsonb_array_elements(other.desired_records) AS record
  WHERE other.hostname = ANY(${sql.array([...new Set(hosts.flatMap(namesAbove))], 'text')})
    AND other.id <> ${row.id} AND other.state ${inStates(PROVED)}
    AND (other.created_at, other.id) < (${sql.timestamp(row.created_at)}, ${row.id}::uuid)
    AND NOT (other.serve AND ${row.serve} AND other.hostname = ${row.hostname})
    AND record->>'host' = ANY(${sql.array([...hosts], 'text')})`;

/**
 * Returns the records that proved connections of any tenant, created before this one, want at the names where this one
 * wants a record that must be the only one. Two served connections of a hostname are left to the claim.
 */
export async function recordsWantedEarlier(db: Queryable, row: ConnectionRow): Promise<readonly DnsRecord[]> {
  const hosts = exclusiveHosts(row);
  if (hosts.length === 0) return [];
  const wanted = await db.any(sql.type(z.object({ record: StoredDesiredRecord }))`${wantedEarlier(row, hosts)}`);
  return wanted.map(({ record }) => plainRecord(record));
}

/** Other writers of a connection's records. */
export interface OtherWriters {
  /** Whether a cutover is in progress. Only the cutover writes the records then. */
  cutover: boolean;
  /** The result of `recordsWantedEarlier`. */
  wantedEarlier: readonly DnsRecord[];
}

const StoredWriters = z.object({ cutover: z.boolean(), records: z.array(StoredDesiredRecord) });

/** Returns the facts about other writers that decide whether the desired records may be written, by one statement. */
export async function otherWriters(db: Queryable, row: ConnectionRow): Promise<OtherWriters> {
  const { cutover, records } = await db.one(sql.type(StoredWriters)`
    SELECT
      EXISTS (SELECT FROM cutovers WHERE connection_id = ${row.id} AND ${cutoverIsInProgress}) AS cutover,
      (SELECT coalesce(json_agg(record), '[]') FROM (${wantedEarlier(row, exclusiveHosts(row))}) AS wanted) AS records
  `);
  return { cutover, wantedEarlier: records.map(plainRecord) };
}

/** Whether a connection that is not archived wants one of these records, or holds the claim to the hostname. */
export const isWantedElsewhere = (db: Queryable, row: ConnectionRow, records: readonly DnsRecord[]): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ exists: z.boolean() }))`
    SELECT EXISTS (
      SELECT FROM connections AS other
      WHERE other.hostname = ANY(${sql.array([...new Set(records.flatMap(({ host }) => namesAbove(host)))], 'text')})
        AND other.id <> ${row.id} AND NOT other.state ${inStates(ENDED)}
        AND (other.serve AND other.hostname = ${row.hostname} AND other.state ${inStates(PROVED)}
          OR EXISTS (
            SELECT FROM jsonb_array_elements(other.desired_records) AS wanted,
              jsonb_to_recordset(${sql.jsonb(jsonOf(records))}) AS found (host text, type text, value text)
            WHERE wanted->>'host' = found.host AND wanted->>'type' = found.type AND wanted->>'value' = found.value))
    ) AS exists
  `);

/** Returns the name itself and all names above it. A connection has records at its hostname and below. */
const namesAbove = (host: string): string[] =>
  host.split('.').map((_label, index, labels) => labels.slice(index).join('.'));
