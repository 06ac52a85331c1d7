import type { Client } from 'pg';
import { z } from 'zod';
import type { ChangeNotice } from './admissions.ts';
import { none, sql, type Pool, type Queryable, type Tx } from '../pool.ts';

export interface Edge {
  id: string;
  name: string;
  /** Time for which it continues without the control plane. */
  staleForMs: number;
}

/** Registers the agent with the copy that it starts now. */
export async function registerEdge(client: Client, { id, name, staleForMs }: Edge, epoch: string): Promise<void> {
  await client.query(
    `INSERT INTO edges (id, name, epoch, stale_ms, registered_at, heard_at)
     VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET name = $2, epoch = $3, stale_ms = $4, heard_at = clock_timestamp()`,
    [id, name, epoch, staleForMs],
  );
}

export async function recordHeard(client: Client, { id }: Edge): Promise<void> {
  await client.query({
    name: 'note-heard',
    text: 'UPDATE edges SET heard_at = clock_timestamp() WHERE id = $1',
    values: [id],
  });
}

/** An edge on the feed has its lease from the API process that feeds it; one that logs in has it in the table. */
const hasLease = sql.fragment`(
  coalesce(leased_until > clock_timestamp(), false)
  OR EXISTS (SELECT FROM admission_leases WHERE epoch = edges.epoch AND expires_at > clock_timestamp()))`;

const EdgeRow = z.object({
  id: z.uuid(),
  name: z.string(),
  is_trusted: z.boolean(),
  registered_at: z.date(),
  heard_at: z.date(),
  silent_seconds: z.number(),
  /** Whether it gets its table from the feed, and not by a login to the database. */
  is_fed: z.boolean(),
  version: z.string().nullable(),
  names: z.number().nullable(),
  certificates: z.number().nullable(),
  lag_ms: z.number().nullable(),
  idle_ms: z.number().nullable(),
  draining_at: z.date().nullable(),
});
export type EdgeRow = z.infer<typeof EdgeRow>;

export const listEdges = (db: Queryable): Promise<readonly EdgeRow[]> =>
  db.any(sql.type(EdgeRow)`
    SELECT id, edges.name, ${hasLease} AS is_trusted, registered_at, heard_at,
           greatest(0, extract(epoch FROM clock_timestamp() - heard_at))::float8 AS silent_seconds,
           leased_until IS NOT NULL AS is_fed, version, names, certificates, lag_ms, idle_ms, draining_at
    FROM edges LEFT JOIN registered_edges USING (name) ORDER BY edges.name, id
  `);

const MissedEdge = z.object({ name: z.string(), heard_at: z.date(), serves_until: z.date() });
export type MissedEdge = z.infer<typeof MissedEdge>;

/** Returns edges that are cut off, have not acknowledged the change, and may still serve by older data. */
export const edgesThatMissed = (pool: Pool, change: ChangeNotice): Promise<readonly MissedEdge[]> => {
  const changedIn =
    'hostname' in change
      ? sql.fragment`(SELECT changed_in FROM admissions WHERE hostname = ${change.hostname})`
      : sql.fragment`(SELECT changed_in FROM admission_origins WHERE application_id = ${change.application_id})`;
  return pool.any(sql.type(MissedEdge)`
    SELECT name, heard_at, heard_at + stale_ms * interval '1 millisecond' AS serves_until FROM edges
    WHERE heard_at + stale_ms * interval '1 millisecond' > clock_timestamp() AND NOT ${hasLease}
      AND NOT EXISTS (SELECT FROM admission_acks WHERE epoch = edges.epoch AND sequence = ${change.sequence})
      AND NOT coalesce(position > ${changedIn}, false)
    ORDER BY name, id
  `);
};

/** Adds a timeline entry, once for a connection, because archiving is final. */
export async function recordCutOff(tx: Tx, connectionId: string, reason: string, now: Date): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO timeline (tenant_id, connection_id, at, kind, reason)
    SELECT tenant_id, id, ${sql.timestamp(now)}, 'edge_cut_off', ${reason} FROM connections
    WHERE id = ${connectionId}
      AND NOT EXISTS (SELECT FROM timeline WHERE connection_id = connections.id AND kind = 'edge_cut_off')
  `);
}

/** Deletes an edge that was taken out of service. An active one registers again. */
export const deleteEdge = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.query(sql.type(none)`DELETE FROM edges WHERE id = ${id}`)).rowCount > 0;
