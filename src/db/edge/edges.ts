import type { Client } from 'pg';
import { z } from 'zod';
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

const hasLease = sql.fragment`
  EXISTS (SELECT FROM admission_leases WHERE epoch = edges.epoch AND expires_at > clock_timestamp())`;

const EdgeRow = z.object({
  id: z.uuid(),
  name: z.string(),
  is_trusted: z.boolean(),
  registered_at: z.date(),
  heard_at: z.date(),
  silent_seconds: z.number(),
});
export type EdgeRow = z.infer<typeof EdgeRow>;

export const listEdges = (db: Queryable): Promise<readonly EdgeRow[]> =>
  db.any(sql.type(EdgeRow)`
    SELECT id, name, ${hasLease} AS is_trusted, registered_at, heard_at,
           greatest(0, extract(epoch FROM clock_timestamp() - heard_at))::float8 AS silent_seconds
    FROM edges ORDER BY name, id
  `);

const MissedEdge = z.object({ name: z.string(), heard_at: z.date(), serves_until: z.date() });
export type MissedEdge = z.infer<typeof MissedEdge>;

/** Returns edges that are cut off, have not acknowledged the change, and may still serve by older data. */
export const edgesThatMissed = (pool: Pool, sequence: number): Promise<readonly MissedEdge[]> =>
  pool.any(sql.type(MissedEdge)`
    SELECT name, heard_at, heard_at + stale_ms * interval '1 millisecond' AS serves_until FROM edges
    WHERE heard_at + stale_ms * interval '1 millisecond' > clock_timestamp() AND NOT ${hasLease}
      AND NOT EXISTS (SELECT FROM admission_acks WHERE epoch = edges.epoch AND sequence = ${sequence})
    ORDER BY name, id
  `);

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
