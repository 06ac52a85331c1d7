import type pg from 'pg';
import { PROVED } from '../../src/domain/connection/state-sets.ts';

/** The states that hold the claim to a hostname, as a list in SQL. */
export const CLAIMS = [...PROVED].map((state) => `'${state}'`).join(', ');

/**
 * Queries that return the connections or deliveries that violate each invariant, from one snapshot of the database.
 * `verifying` is set during every check and is not on the timeline, so a failed connection that is verified again has
 * no move there.
 */
const ALWAYS: Readonly<Record<string, string>> = {
  'I1 one claim for each hostname': `
    SELECT hostname AS who FROM connections WHERE serve AND state IN (${CLAIMS}) GROUP BY hostname HAVING count(*) > 1`,
  'I2 the last move on the timeline ends in the state': `
    SELECT id::text AS who FROM connections WHERE state <> 'verifying' AND state <> (
      SELECT to_state FROM timeline WHERE connection_id = connections.id AND kind = 'move' ORDER BY id DESC LIMIT 1)`,
  'I2 each move begins where the one before it ended': `
    SELECT connection_id::text AS who FROM (
      SELECT connection_id, from_state, lag(to_state) OVER (PARTITION BY connection_id ORDER BY id) AS before
      FROM timeline WHERE kind = 'move') AS moves
    WHERE from_state <> coalesce(before, 'created') AND (before, from_state) <> ('failed', 'pending_ownership')`,
  'I2 each move with an event has exactly one event': `
    SELECT moves.connection_id::text AS who FROM (
      SELECT connection_id, count(*) FILTER (WHERE from_state = 'created' AND to_state <> 'archived') AS added,
        count(*) FILTER (WHERE to_state = 'verified') AS verified,
        count(*) FILTER (WHERE to_state = 'drifted') AS drifted
      FROM timeline WHERE kind = 'move' GROUP BY connection_id) AS moves
    LEFT JOIN (
      SELECT connection_id, count(*) FILTER (WHERE type = 'domain.added') AS added,
        count(*) FILTER (WHERE type = 'domain.verified') AS verified,
        count(*) FILTER (WHERE type = 'domain.drift') AS drifted
      FROM events GROUP BY connection_id) AS reported USING (connection_id)
    WHERE (moves.added, moves.verified, moves.drifted)
      IS DISTINCT FROM (coalesce(reported.added, 0), coalesce(reported.verified, 0), coalesce(reported.drifted, 0))`,
  'I2 events are numbered without a gap': `
    SELECT id::text AS who FROM connections
    WHERE event_sequence <> (SELECT count(*) FROM events WHERE connection_id = connections.id)`,
  'I4 what counts as delivered was attempted': `
    SELECT id::text AS who FROM webhook_deliveries WHERE status = 'delivered'
      AND NOT EXISTS (SELECT FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id)`,
  'I4 an event that an endpoint wants has a delivery': `
    SELECT events.id::text AS who FROM events
      JOIN webhook_endpoints ON webhook_endpoints.application_id = events.application_id
    WHERE events.type = ANY(webhook_endpoints.events) AND events.created_at > webhook_endpoints.created_at
      AND NOT EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.event_id = events.id AND d.endpoint_id = webhook_endpoints.id)`,
};

/** Returns the violations of the invariants that apply at every moment. */
export async function violations(database: pg.Client): Promise<string[]> {
  const found: string[] = [];
  for (const [invariant, query] of Object.entries(ALWAYS)) {
    const { rows } = await database.query<{ who: string }>(query);
    found.push(...rows.map(({ who }) => `${invariant}: ${who}`));
  }
  return found;
}
