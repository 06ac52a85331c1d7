import { ADVANCING, AWAITS_PROOF } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { none, sql, type Queryable } from '../pool.ts';

/** Time after which an advancing connection counts as waiting for something external and frees its slot. */
const MOVES_WITHIN = sql.fragment`interval '10 seconds'`;

/**
 * Whether the connection advances without the customer: before its first check, or between two states. A hostname that its
 * CNAME proves waits for the tenant to move the target.
 */
const isMoving = sql.fragment`(
  state ${inStates(AWAITS_PROOF)}
    AND EXISTS (SELECT FROM checks WHERE checks.connection_id = connections.id AND last_checked_at IS NULL)
  OR state ${inStates(ADVANCING)} AND NOT (state = 'propagating' AND proof = 'cname_target'))`;

/** Releases held starts: `concurrency` per tenant, or one while others advance. Returns the number still held. */
export async function releaseStarts(db: Queryable, concurrency: number): Promise<number> {
  await db.query(sql.type(none)`
    DELETE FROM held_starts USING connections
    WHERE connections.id = connection_id AND released_at IS NOT NULL
      AND (NOT ${isMoving} OR released_at < now() - ${MOVES_WITHIN})
  `);
  return db.oneFirst(sql.type(z.object({ held: z.number() }))`
    WITH holding AS (
      SELECT tenant_id, count(*) FILTER (WHERE released_at IS NULL) AS held, count(released_at) AS moving
      FROM held_starts GROUP BY tenant_id
    ), room AS (
      SELECT tenant_id, held, CASE WHEN (SELECT count(*) FROM holding) > 1 OR EXISTS (
        SELECT FROM connections
        WHERE batch_id IS NULL AND phase_started_at > now() - ${MOVES_WITHIN} AND ${isMoving}
      ) THEN 1 ELSE ${concurrency} END - moving AS places
      FROM holding
    ), next AS (
      SELECT chosen.connection_id FROM room CROSS JOIN LATERAL (
        SELECT connection_id FROM held_starts WHERE held_starts.tenant_id = room.tenant_id AND released_at IS NULL
        ORDER BY place LIMIT greatest(0, places) FOR UPDATE SKIP LOCKED) AS chosen
    ), released AS (
      UPDATE held_starts SET released_at = now() FROM next WHERE held_starts.connection_id = next.connection_id
      RETURNING held_starts.connection_id, tenant_id
    ), announced AS (
      INSERT INTO outbox (tenant_id, environment, aggregate_kind, aggregate_id, workflow, kind)
      SELECT released.tenant_id, environment, 'connection', connection_id, 'connection', 'start'
      FROM released JOIN connections ON connections.id = connection_id
    )
    SELECT coalesce(sum(held), 0)::int AS held FROM room
  `);
}
