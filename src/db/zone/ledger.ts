import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { ENDED, HOLDS_CLAIM } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { PURPOSES, type Purpose, type Written } from '../../domain/zone/plan.ts';
import { RECORD_TYPES, type DnsRecord } from '../../domain/record.ts';
import { sameRecord, type Addition, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import { StoredRecord, type ConnectionRow } from '../connection/connection-row.ts';
import { jsonOf, none, sql, type Queryable } from '../pool.ts';

/** What a provider keeps beside a record. */
export const StoredExtra = z.record(z.string(), z.unknown()).nullable();

/** Where a value was written: what undo needs to find it again. */
export const Place = z.object({
  credential_id: z.uuid(),
  provider: z.string(),
  zone_id: z.string(),
  zone_name: z.string(),
});
export type Place = z.infer<typeof Place>;

const LedgerRow = Place.extend({
  id: z.uuid(),
  purpose: z.enum(PURPOSES),
  status: z.enum(['intended', 'standing']),
  at: z.date(),
  host: z.string(),
  type: z.enum(RECORD_TYPES),
  value: z.string(),
  ttl: z.number(),
  priority: z.number().nullable(),
  extra: StoredExtra,
});
export type LedgerRow = z.infer<typeof LedgerRow>;

const isOpen = sql.fragment`status IN ('intended', 'standing')`;

/** What stands for mail through us, as a check wants to know it; nothing where there is none. */
export async function mailWritten(
  db: Queryable,
  connectionId: string,
): Promise<{ mail?: { zone: string; records: DnsRecord[] } }> {
  const rows = (await ownedValues(db, connectionId)).filter(
    ({ purpose, status }) => purpose === 'email' && status === 'standing',
  );
  const [first] = rows;
  if (first === undefined) return {};
  const here = rows.filter(({ zone_name }) => zone_name === first.zone_name);
  const records = here.map(({ host, type, value, ttl, priority }) => ({ host, type, value, ttl, priority }));
  return { mail: { zone: first.zone_name, records } };
}

/** Every value of a connection that may stand in a zone through us, whatever its purpose, the uncertain ones included. */
export const ownedValues = (db: Queryable, connectionId: string): Promise<readonly LedgerRow[]> =>
  db.any(sql.type(LedgerRow)`
    SELECT id, purpose, credential_id, provider, zone_id, zone_name, host, type, value, ttl, priority, extra, status, at
    FROM dns_ledger WHERE connection_id = ${connectionId} AND ${isOpen}
    ORDER BY id
  `);

export const asWritten = ({ host, type, value, ttl, priority, extra }: LedgerRow): Written => ({
  record: { host, type, value, ttl, priority, extra },
  previous: [],
});

/**
 * Before the provider is called: should its answer get lost, the value is still known to be ours. Returns the rows that
 * are new: a row that an earlier call left, whose outcome is not known, is not this call's to withdraw.
 */
export async function intend(
  db: Queryable,
  row: Pick<ConnectionRow, 'id' | 'tenant_id'>,
  { purpose, place, now }: { purpose: Purpose; place: Place; now: Date },
  values: readonly Addition[],
): Promise<string[]> {
  const made: string[] = [];
  for (const value of values) {
    const id = uuidv7();
    const kept = await db.oneFirst(sql.type(z.object({ id: z.uuid() }))`
      INSERT INTO dns_ledger (
        id, tenant_id, connection_id, purpose, credential_id, provider, zone_id, zone_name, host, type, value, ttl,
        priority, extra, status, at)
      VALUES (
        ${id}, ${row.tenant_id}, ${row.id}, ${purpose}, ${place.credential_id}, ${place.provider}, ${place.zone_id},
        ${place.zone_name}, ${value.host}, ${value.type}, ${value.value}, ${value.ttl}, ${value.priority},
        ${value.extra ? sql.jsonb(jsonOf(value.extra)) : null}, 'intended', ${sql.timestamp(now)})
      ON CONFLICT (connection_id, purpose, zone_id, host, type, value, priority) WHERE ${isOpen}
      DO UPDATE SET credential_id = excluded.credential_id, at = excluded.at
      RETURNING id
    `);
    if (kept === id) made.push(id);
  }
  return made;
}

/** After the provider answered: what really stands, with the set's TTL and the provider's own handle. */
export async function confirm(
  db: Queryable,
  rows: readonly LedgerRow[],
  standing: readonly ZoneRecord[],
): Promise<void> {
  for (const row of rows) {
    const record = standing.find((one) => sameRecord(one, row));
    if (!record) continue;
    await db.query(sql.type(none)`
      UPDATE dns_ledger SET status = 'standing', ttl = ${record.ttl}, record_id = ${record.id} WHERE id = ${row.id}
    `);
  }
}

/** The credential that last wrote a zone is the one that will clean it. */
export async function moveToCredential(
  db: Queryable,
  connectionId: string,
  purpose: Purpose,
  { zone_id, credential_id }: Place,
): Promise<void> {
  const there = sql.fragment`
    connection_id = ${connectionId} AND purpose = ${purpose} AND zone_id = ${zone_id} AND credential_id <> ${credential_id}
  `;
  await db.query(sql.type(none)`UPDATE dns_ledger SET credential_id = ${credential_id} WHERE ${there} AND ${isOpen}`);
  await db.query(sql.type(none)`
    UPDATE dns_displaced SET credential_id = ${credential_id} WHERE ${there} AND status = 'displaced'
  `);
}

const Successor = z.object({ id: z.uuid(), is_own: z.boolean(), desired_records: z.array(StoredRecord) });
export type Successor = z.infer<typeof Successor>;

/** The connection that took the place of an archived one: the application's own, or any tenant's that has proved the name. */
export const findSuccessor = (db: Queryable, connectionId: string): Promise<Successor | null> =>
  db.maybeOne(sql.type(Successor)`
    SELECT successor.id, successor.desired_records, successor.application_id = archived.application_id AS is_own
    FROM connections AS archived JOIN connections AS successor ON successor.hostname = archived.hostname AND successor.id <> archived.id
    WHERE archived.id = ${connectionId} AND NOT successor.state ${inStates(ENDED)}
      AND (successor.application_id = archived.application_id OR successor.state ${inStates(HOLDS_CLAIM)})
    ORDER BY is_own DESC LIMIT 1
  `);

/**
 * Mail records outlive their connection. The next one of the application that sets up mail of the domain takes them over,
 * so that they can still be changed and undone.
 */
export async function adoptMailValues(
  db: Queryable,
  row: Pick<ConnectionRow, 'id' | 'application_id'>,
  domain: string,
): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE dns_ledger SET connection_id = ${row.id}
    WHERE id IN (
      SELECT DISTINCT ON (zone_id, host, type, value, priority) dns_ledger.id
      FROM dns_ledger JOIN connections AS former ON former.id = dns_ledger.connection_id
      WHERE former.application_id = ${row.application_id} AND former.state = 'archived'
        AND purpose = 'email' AND ${isOpen} AND (host = ${domain} OR right(host, length(${domain}) + 1) = '.' || ${domain})
        AND NOT EXISTS (
          SELECT FROM dns_ledger AS own
          WHERE own.connection_id = ${row.id} AND own.purpose = 'email' AND own.status IN ('intended', 'standing')
            AND (own.zone_id, own.host, own.type, own.value) = (dns_ledger.zone_id, dns_ledger.host, dns_ledger.type, dns_ledger.value)
            AND own.priority IS NOT DISTINCT FROM dns_ledger.priority))
  `);
}

/** From now on the successor's to remove. */
export async function transferTo(db: Queryable, ids: string[], successor: Successor): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE dns_ledger SET connection_id = ${successor.id} WHERE id = ANY(${sql.array(ids, 'uuid')})
  `);
}

/** No longer ours to remove: taken back by us, changed by the customer and so theirs, or surely never written. */
export async function close(
  db: Queryable,
  ids: string[],
  status: 'removed' | 'surrendered' | 'withdrawn',
): Promise<void> {
  if (ids.length === 0) return;
  await db.query(sql.type(none)`UPDATE dns_ledger SET status = ${status} WHERE id = ANY(${sql.array(ids, 'uuid')})`);
}
