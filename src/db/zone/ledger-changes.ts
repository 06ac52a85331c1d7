import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { LedgerPatches } from '../../domain/zone/ledger-patches.ts';
import type { AddedRows } from '../../domain/zone/ledger-rows.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';
import { jsonOf, sql, type Fragment, type Pool, type Queryable, type Tx } from '../pool.ts';

type Owner = Pick<ConnectionRow, 'id' | 'tenant_id'>;

/** Condition on rows of `dns_ledger`. */
export const isOpen = sql.fragment`status IN ('intended', 'standing')`;

const Added = z.object({ values: z.array(z.uuid()), layers: z.array(z.number()) });

/** Saves the changes of one decision, by one statement where possible. */
export function saveChanges(db: Pool | Tx, owner: Owner, patches: LedgerPatches): Promise<AddedRows> {
  const closes = patches.values.some(
    ({ status, connection_id }) => status !== undefined || connection_id !== undefined,
  );
  if (!closes || patches.newValues.length === 0) return saveTogether(db, owner, patches);
  // A new value may equal one that is closed, and the unique index would find both in one statement.
  return db.transaction(async (tx) => {
    await saveTogether(tx, owner, { ...patches, newValues: [], newLayers: [] });
    return saveTogether(tx, owner, { ...patches, values: [], layers: [] });
  });
}

async function saveTogether(db: Queryable, owner: Owner, patches: LedgerPatches): Promise<AddedRows> {
  const values = patches.newValues.map((change) => ({ id: uuidv7(), change }));
  const steps: Fragment[] = [];
  if (patches.values.length > 0) steps.push(sql.fragment`patched_values AS (${patchValues(patches)})`);
  if (patches.layers.length > 0) steps.push(sql.fragment`patched_layers AS (${patchLayers(patches)})`);
  if (values.length > 0) steps.push(sql.fragment`new_values AS (${insertValues(owner, values)})`);
  if (patches.newLayers.length > 0) steps.push(sql.fragment`new_layers AS (${insertLayers(owner, patches)})`);
  if (steps.length === 0) return { values: [], layers: [] };
  const valueIds = sql.fragment`(SELECT coalesce(json_agg(id), '[]') FROM new_values)`;
  const layerIds = sql.fragment`(SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM new_layers)`;
  const added = await db.one(sql.type(Added)`
    WITH ${sql.join(steps, sql.fragment`, `)}
    SELECT ${values.length > 0 ? valueIds : sql.fragment`'[]'::json`} AS values,
      ${patches.newLayers.length > 0 ? layerIds : sql.fragment`'[]'::json`} AS layers
  `);
  return { values: values.map(({ id }) => (added.values.includes(id) ? id : null)), layers: added.layers };
}

function patchValues({ values }: LedgerPatches): Fragment {
  const patches = values.map((patch) => ({ ...patch, confirms: patch.record_id !== undefined }));
  return sql.fragment`
    UPDATE dns_ledger AS own SET
      credential_id = coalesce(patch.credential_id, own.credential_id),
      connection_id = coalesce(patch.connection_id, own.connection_id),
      at = coalesce(patch.at, own.at),
      status = coalesce(patch.status, own.status),
      ttl = coalesce(patch.ttl, own.ttl),
      record_id = CASE WHEN patch.confirms THEN patch.record_id ELSE own.record_id END
    FROM jsonb_to_recordset(${sql.jsonb(jsonOf(patches))}) AS patch (
      id uuid, credential_id uuid, connection_id uuid, at timestamptz, status text, ttl integer, record_id text,
      confirms boolean)
    WHERE own.id = patch.id AND own.status IN ('intended', 'standing')`;
}

const patchLayers = ({ layers }: LedgerPatches): Fragment => sql.fragment`
  UPDATE dns_displaced AS layer SET
    credential_id = coalesce(patch.credential_id, layer.credential_id),
    connection_id = coalesce(patch.connection_id, layer.connection_id),
    status = coalesce(patch.status, layer.status),
    records = coalesce(patch.records, layer.records)
  FROM jsonb_to_recordset(${sql.jsonb(jsonOf(layers))}) AS patch (
    id bigint, credential_id uuid, connection_id uuid, status text, records jsonb)
  WHERE layer.id = patch.id AND layer.status = 'displaced'`;

type NewValues = readonly { id: string; change: LedgerPatches['newValues'][number] }[];

/** Adds values. A value that another process has just added keeps its id, and gets our credential and time. */
function insertValues({ id: connectionId, tenant_id }: Owner, values: NewValues): Fragment {
  const rows = values.map(({ id, change: { value, context } }) => ({
    ...value,
    ...context.location,
    id,
    purpose: context.purpose,
    wildcard: context.wildcard,
    at: context.now,
    extra: value.extra ?? undefined,
  }));
  return sql.fragment`
    INSERT INTO dns_ledger (
      id, tenant_id, connection_id, purpose, credential_id, provider, zone_id, zone_name, host, type, value, ttl,
      priority, extra, wildcard, status, at)
    SELECT id, ${tenant_id}::uuid, ${connectionId}::uuid, purpose, credential_id, provider, zone_id, zone_name, host, type,
      value, ttl, priority, extra, wildcard, 'intended', at
    FROM (
      SELECT DISTINCT ON (purpose, zone_id, host, type, value, priority) *
      FROM jsonb_to_recordset(${sql.jsonb(jsonOf(rows))}) AS given (
        id uuid, purpose text, credential_id uuid, provider text, zone_id text, zone_name text, host text, type text,
        value text, ttl integer, priority integer, extra jsonb, wildcard text, at timestamptz)
      ORDER BY purpose, zone_id, host, type, value, priority, id
    ) AS given
    ON CONFLICT (connection_id, purpose, zone_id, host, type, value, priority) WHERE ${isOpen}
    DO UPDATE SET credential_id = excluded.credential_id, at = excluded.at
    RETURNING id`;
}

/** Adds layers, and gives them ids in the order of the changes. */
function insertLayers({ id: connectionId, tenant_id }: Owner, { newLayers }: LedgerPatches): Fragment {
  const rows = newLayers.map(({ layer, context: { location, purpose, now } }, place) => ({
    ...location,
    place,
    purpose,
    host: layer.host,
    records: layer.records,
    whole: layer.whole,
    at: now,
  }));
  return sql.fragment`
    INSERT INTO dns_displaced (
      tenant_id, connection_id, purpose, credential_id, provider, zone_id, zone_name, host, records, whole, at)
    SELECT ${tenant_id}::uuid, ${connectionId}::uuid, purpose, credential_id, provider, zone_id, zone_name, host, records,
      whole, at
    FROM jsonb_to_recordset(${sql.jsonb(jsonOf(rows))}) AS given (
      place integer, purpose text, credential_id uuid, provider text, zone_id text, zone_name text, host text,
      records jsonb, whole boolean, at timestamptz)
    ORDER BY place
    RETURNING id`;
}
