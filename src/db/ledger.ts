import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { HOLDS_CLAIM } from '../domain/connection.ts';
import type { Written } from '../domain/plan.ts';
import { RECORD_TYPES } from '../domain/record.ts';
import { sameRecord, type ZoneRecord } from '../domain/zone-record.ts';
import { StoredRecord, type ConnectionRow } from './connection-row.ts';
import { jsonOf, none, sql, type Queryable } from './pool.ts';

const Extra = z.record(z.string(), z.unknown()).nullable();

const StoredZoneRecord = z.object({
  host: z.string(),
  type: z.enum([...RECORD_TYPES, 'OTHER']),
  value: z.string(),
  ttl: z.number(),
  priority: z.number().nullable(),
  id: z.string().nullable(),
  readOnly: z.boolean(),
  extra: Extra,
});

const LedgerRow = z.object({
  id: z.uuid(),
  credential_id: z.uuid(),
  provider: z.string(),
  zone_id: z.string(),
  zone_name: z.string(),
  host: z.string(),
  type: z.enum(RECORD_TYPES),
  value: z.string(),
  ttl: z.number(),
  priority: z.number().nullable(),
  extra: Extra,
  previous: z.array(StoredZoneRecord),
});
export type LedgerRow = z.infer<typeof LedgerRow>;

/** Where a value was written: what undo needs to find it again. */
export interface Place {
  credential_id: string;
  provider: string;
  zone_id: string;
  zone_name: string;
}

/** Every value of a connection that may stand in a zone through us, the uncertain ones included. */
export const ownedValues = (db: Queryable, connectionId: string): Promise<readonly LedgerRow[]> =>
  db.any(sql.type(LedgerRow)`
    SELECT id, credential_id, provider, zone_id, zone_name, host, type, value, ttl, priority, extra, previous
    FROM dns_ledger WHERE connection_id = ${connectionId} AND status IN ('intended', 'standing')
    ORDER BY id
  `);

export const asWritten = ({ host, type, value, ttl, priority, extra, previous }: LedgerRow): Written => ({
  record: { host, type, value, ttl, priority, extra },
  previous,
});

/** Before the provider is called: should its answer get lost, the value is still known to be ours. */
export async function intend(
  db: Queryable,
  row: ConnectionRow,
  place: Place,
  written: readonly Written[],
  now: Date,
): Promise<void> {
  for (const { record, previous } of written) {
    await db.query(sql.type(none)`
      INSERT INTO dns_ledger (
        id, tenant_id, connection_id, credential_id, provider, zone_id, zone_name, host, type, value, ttl, priority,
        extra, previous, status, at)
      VALUES (
        ${uuidv7()}, ${row.tenant_id}, ${row.id}, ${place.credential_id}, ${place.provider}, ${place.zone_id},
        ${place.zone_name}, ${record.host}, ${record.type}, ${record.value}, ${record.ttl}, ${record.priority},
        ${record.extra ? sql.jsonb(jsonOf(record.extra)) : null}, ${sql.jsonb(jsonOf(previous))}, 'intended', ${sql.timestamp(now)})
      ON CONFLICT (connection_id, host, type, value, priority) WHERE status IN ('intended', 'standing')
      DO UPDATE SET credential_id = excluded.credential_id, zone_id = excluded.zone_id, at = excluded.at
    `);
  }
}

/** Values that stay take over what others of ours displace; noted like an intention, before the provider is called. */
export async function inherit(db: Queryable, connectionId: string, heirs: readonly Written[]): Promise<void> {
  if (heirs.length === 0) return;
  for (const row of await ownedValues(db, connectionId)) {
    const heir = heirs.find(({ record }) => sameRecord(record, row));
    if (!heir) continue;
    await db.query(sql.type(none)`
      UPDATE dns_ledger SET previous = ${sql.jsonb(jsonOf(heir.previous))} WHERE id = ${row.id}
    `);
  }
}

/** After the provider answered: what really stands, with the set's TTL and the provider's own handle. */
export async function confirm(db: Queryable, connectionId: string, standing: readonly ZoneRecord[]): Promise<void> {
  for (const row of await ownedValues(db, connectionId)) {
    const record = standing.find((one) => sameRecord(one, row));
    if (!record) continue;
    await db.query(sql.type(none)`
      UPDATE dns_ledger SET status = 'standing', ttl = ${record.ttl}, record_id = ${record.id} WHERE id = ${row.id}
    `);
  }
}

const Successor = z.object({ id: z.uuid(), is_own: z.boolean(), desired_records: z.array(StoredRecord) });
export type Successor = z.infer<typeof Successor>;

/** The connection that took the place of an archived one: the application's own, or anybody's that has proved the name. */
export const findSuccessor = (db: Queryable, connectionId: string): Promise<Successor | null> =>
  db.maybeOne(sql.type(Successor)`
    SELECT heir.id, heir.desired_records, heir.application_id = archived.application_id AS is_own
    FROM connections AS archived JOIN connections AS heir ON heir.hostname = archived.hostname AND heir.id <> archived.id
    WHERE archived.id = ${connectionId} AND heir.state NOT IN ('failed', 'archived')
      AND (heir.application_id = archived.application_id OR heir.state = ANY(${sql.array([...HOLDS_CLAIM], 'text')}))
    ORDER BY is_own DESC LIMIT 1
  `);

/** From now on the heir's to remove. */
export async function transferTo(db: Queryable, ids: string[], heir: Successor): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE dns_ledger SET connection_id = ${heir.id} WHERE id = ANY(${sql.array(ids, 'uuid')})
  `);
}

/** No longer ours to remove: taken back by us, or changed by the customer and so theirs. */
export async function close(db: Queryable, ids: string[], status: 'removed' | 'surrendered'): Promise<void> {
  await db.query(sql.type(none)`UPDATE dns_ledger SET status = ${status} WHERE id = ANY(${sql.array(ids, 'uuid')})`);
}
