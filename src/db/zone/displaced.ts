import { z } from 'zod';
import type { Displacement } from '../../domain/zone/displacement.ts';
import { PURPOSES, type Purpose } from '../../domain/zone/plan.ts';
import { RECORD_TYPES } from '../../domain/record.ts';
import { isOneOf } from '../../domain/zone/zone-record.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';
import { Place, StoredExtra, type Successor } from './ledger.ts';
import { jsonOf, none, sql, type Queryable } from '../pool.ts';

const StoredZoneRecord = z.object({
  host: z.string(),
  type: z.enum([...RECORD_TYPES, 'OTHER']),
  value: z.string(),
  ttl: z.number(),
  priority: z.number().nullable(),
  id: z.string().nullable(),
  readOnly: z.boolean(),
  extra: StoredExtra,
});

const DisplacedRow = Place.extend({
  id: z.number(),
  purpose: z.enum(PURPOSES),
  host: z.string(),
  records: z.array(StoredZoneRecord),
  whole: z.boolean(),
});
export type DisplacedRow = z.infer<typeof DisplacedRow>;

/** The layers of a connection's snapshot that have not been put back, oldest first, for whichever purpose they were made. */
export const displacedLayers = (db: Queryable, connectionId: string): Promise<readonly DisplacedRow[]> =>
  db.any(sql.type(DisplacedRow)`
    SELECT id, purpose, credential_id, provider, zone_id, zone_name, host, records, whole
    FROM dns_displaced WHERE connection_id = ${connectionId} AND status = 'displaced'
    ORDER BY id
  `);

/** A layer that says what this call is going to displace: noted by it, or found from an earlier call. */
export interface NotedLayer {
  id: number;
  host: string;
  isNew: boolean;
}

/**
 * Before the provider is called: what the write is going to displace. A layer that says the same as the newest one is
 * not noted again, so a write that is tried for an hour leaves one.
 */
export async function noteDisplaced(
  db: Queryable,
  row: Pick<ConnectionRow, 'id' | 'tenant_id'>,
  { purpose, place, now }: { purpose: Purpose; place: Place; now: Date },
  layers: readonly Displacement[],
): Promise<NotedLayer[]> {
  const known = await displacedLayers(db, row.id);
  const noted: NotedLayer[] = [];
  for (const layer of layers) {
    const top = known.findLast(({ host, zone_id }) => host === layer.host && zone_id === place.zone_id);
    if (top && saysTheSame(top, layer)) {
      noted.push({ id: top.id, host: top.host, isNew: false });
      continue;
    }
    const id = await db.oneFirst(sql.type(z.object({ id: z.number() }))`
      INSERT INTO dns_displaced (
        tenant_id, connection_id, purpose, credential_id, provider, zone_id, zone_name, host, records, whole, at)
      VALUES (
        ${row.tenant_id}, ${row.id}, ${purpose}, ${place.credential_id}, ${place.provider}, ${place.zone_id},
        ${place.zone_name}, ${layer.host}, ${sql.jsonb(jsonOf(layer.records))}, ${layer.whole}, ${sql.timestamp(now)})
      RETURNING id
    `);
    noted.push({ id, host: layer.host, isNew: true });
  }
  return noted;
}

const saysTheSame = (a: Displacement, b: Displacement): boolean =>
  a.whole === b.whole &&
  a.records.length === b.records.length &&
  a.records.every((record) => isOneOf(record, b.records));

/** After the provider answered: what the write really took away, whatever was planned; a new layer of nothing goes. */
export async function confirmDisplaced(
  db: Queryable,
  noted: readonly NotedLayer[],
  removed: readonly Displacement[],
): Promise<void> {
  for (const { id, host, isNew } of noted) {
    const layer = removed.find((one) => one.host === host);
    if (!layer && isNew) await closeDisplaced(db, [id], 'withdrawn');
    if (layer)
      await db.query(sql.type(none)`
        UPDATE dns_displaced SET records = ${sql.jsonb(jsonOf(layer.records))} WHERE id = ${id}
      `);
  }
}

/** From now on the successor's to put back. */
export async function transferDisplaced(db: Queryable, ids: number[], successor: Successor): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE dns_displaced SET connection_id = ${successor.id} WHERE id = ANY(${sql.array(ids, 'int8')})
  `);
}

/** Put back by us, overtaken by what the customer set at the name since, or surely never displaced. */
export async function closeDisplaced(
  db: Queryable,
  ids: number[],
  status: 'restored' | 'surrendered' | 'withdrawn',
): Promise<void> {
  if (ids.length === 0) return;
  await db.query(sql.type(none)`UPDATE dns_displaced SET status = ${status} WHERE id = ANY(${sql.array(ids, 'int8')})`);
}
