import { z } from 'zod';
import { StoredRecord } from '../connection/connection-row.ts';
import { none, sql, type Pool, type Queryable, type Tx } from '../pool.ts';
import { pageOf, type PageRequest } from '../page.ts';
import type { DnsRecord } from '../../domain/record.ts';
import type { Named } from '../../domain/zone/zone-record.ts';

/** Returns a name and every name above it except the top-level domain. */
export const upwards = (host: string): string[] => {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

/** Returns the records that the sandbox's DNS answers with at this time. Older ones may be left out. */
export const readZone = (
  db: Queryable,
  tenantId: string,
  hosts: string[],
  now: Date,
  expiredBefore = new Date(0),
): Promise<readonly DnsRecord[]> =>
  db.any(sql.type(StoredRecord)`
    SELECT host, type, value, ttl, priority FROM sandbox_records
    WHERE tenant_id = ${tenantId} AND host = ANY(${sql.array(hosts, 'text')}) AND visible_at <= ${sql.timestamp(now)}
      AND visible_at >= ${sql.timestamp(expiredBefore)}
    ORDER BY host, type, value
  `);

/** Returns all records of the zone, including those that DNS does not answer with yet. */
export const allRecordsAt = (
  db: Queryable,
  tenantId: string,
  hosts: readonly string[],
): Promise<readonly DnsRecord[]> =>
  db.any(sql.type(StoredRecord)`
    SELECT host, type, value, ttl, priority FROM sandbox_records
    WHERE tenant_id = ${tenantId} AND host = ANY(${sql.array(hosts, 'text')})
    ORDER BY host, type, value
  `);

const ListedRecord = StoredRecord.extend({ id: z.uuid(), created_at: z.date() });
export type ListedRecord = z.infer<typeof ListedRecord>;

/** Returns the tenant's records, newest first, also those that DNS does not answer with yet. Their hash is their id, a UUIDv8 (RFC 9562). */
export const listSandboxRecords = (db: Queryable, page: PageRequest): Promise<readonly ListedRecord[]> =>
  db.any(sql.type(ListedRecord)`
    SELECT host, type, value, ttl, priority, id, created_at FROM (
      SELECT *, overlay(overlay(md5(host || ' ' || type || ' ' || value) PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid AS id,
        visible_at AS created_at
      FROM sandbox_records
    ) AS record
    WHERE ${pageOf(page)}
  `);

/** Publishes a record from a time on. An existing record stays unchanged, so a repeated call does not delay it. */
export async function publish(
  db: Pool | Queryable,
  tenantId: string,
  record: DnsRecord,
  visibleAt: Date,
): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO sandbox_records (tenant_id, host, type, value, ttl, priority, visible_at)
    VALUES (${tenantId}, ${record.host}, ${record.type}, ${record.value}, ${record.ttl}, ${record.priority}, ${sql.timestamp(visibleAt)})
    ON CONFLICT DO NOTHING
  `);
}

export async function removeRecords(
  db: Queryable,
  tenantId: string,
  { host, type }: { host: string; type?: string },
): Promise<void> {
  const ofType = type === undefined ? sql.fragment`` : sql.fragment`AND type = ${type}`;
  await db.query(sql.type(none)`
    DELETE FROM sandbox_records WHERE tenant_id = ${tenantId} AND host = ${host} ${ofType}
  `);
}

export async function removeValue(
  db: Queryable,
  tenantId: string,
  { host, type, value }: Pick<Named, 'host' | 'type' | 'value'>,
): Promise<void> {
  await db.query(sql.type(none)`
    DELETE FROM sandbox_records
    WHERE tenant_id = ${tenantId} AND host = ${host} AND type = ${type} AND value = ${value}
  `);
}

export async function lockZone(tx: Tx, tenantId: string, zone: string): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${`sandbox ${tenantId} ${zone}`}, 0)) AS locked
  `);
}
