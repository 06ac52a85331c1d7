import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { connectKindOf, periodAt } from '../../domain/billing/usage.ts';
import type { Proof } from '../../domain/connection/cname-proof.ts';
import { MOVES, type Environment, type Kind } from '../../domain/connection/connection.ts';
import type { DesiredRecord } from '../../domain/connection/edge-addresses.ts';
import type { Variables } from '../../domain/connection/variables.ts';
import type { OwnRoute } from '../../domain/edge/own-route.ts';
import { eventsOf } from '../../domain/webhook/events.ts';
import { currentTrace } from '../../telemetry/tracing.ts';
import { dayOf } from '../billing/usage.ts';
import { jsonOf, sql, type Tx } from '../pool.ts';
import { eventsOfWritten } from '../webhook/events.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';

export interface NewConnection {
  tenant_id: string;
  application_id: string;
  environment: Environment;
  hostname: string;
  kind: Kind;
  external_id: string | null;
  /** The batch that creates it, if any. */
  batch_id: string | null;
  /** The connection that a companion redirects to. */
  companion_of: string | null;
  before_dns: boolean;
  point: 'auto' | 'hold';
  delegated_to: string | null;
  route: OwnRoute | null;
  serve: boolean;
  /** The target whose CNAME proves an imported hostname. */
  proof_target: string | null;
  variables: Variables;
  /** Made from the id, because a template may contain it. */
  desired_records: (id: string) => DesiredRecord[];
}

/** State of a connection after its first transition, which happens in the statement that creates it. */
const ACCEPTED = MOVES.created.accepted;
const ACCEPTED_EVENTS = eventsOf('accepted', false);
/** The version after that transition; rows begin with version 1. */
const ACCEPTED_VERSION = 2;

/**
 * Creates accepted connections with their timelines, events, counts and workflows, in one statement. Rows are written
 * in the order of hostnames against deadlocks. A connection that another request has just created is missing from the
 * result.
 */
export async function createConnections(
  tx: Tx,
  connections: readonly NewConnection[],
  now: Date,
): Promise<readonly ConnectionRow[]> {
  if (connections.length === 0) return [];
  const given = connections.map(rowOf).toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1));
  const shown = given.map((row) => ({
    ...row,
    setup_type: 'manual' as const,
    state: ACCEPTED,
    provider: null,
    error_code: null,
    created_at: now,
  }));
  const at = sql.timestamp(now);
  return tx.any(sql.type(ConnectionRow)`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${sql.jsonb(jsonOf(given))}) AS given (
        id uuid, tenant_id uuid, application_id uuid, environment text, hostname text, kind text, external_id text,
        batch_id uuid, companion_of uuid, challenge_token text, desired_records jsonb,
        before_dns boolean, point text, delegated_to text, route jsonb, serve boolean, proof text, proof_target text,
        variables jsonb, counted_as text)
    ), written AS (
      INSERT INTO connections (
        id, tenant_id, application_id, environment, hostname, kind, state, version, event_sequence, phase_started_at,
        external_id, batch_id, companion_of, challenge_token, desired_records, before_dns, point, delegated_to, route,
        serve, proof, proof_target, variables, created_at, trace_context)
      SELECT id, tenant_id, application_id, environment, hostname, kind, ${ACCEPTED}, ${ACCEPTED_VERSION}::integer,
        ${ACCEPTED_EVENTS.length}::integer, ${at}, external_id, batch_id, companion_of, challenge_token, desired_records,
        before_dns, point, delegated_to, nullif(route, 'null'), serve, proof, proof_target, variables, ${at},
        ${currentTrace()}::text
      FROM given
      ON CONFLICT DO NOTHING
      RETURNING ${connectionColumns}, event_sequence
    ), counted AS (
      INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
      SELECT written.tenant_id, scope.id, ${dayOf(periodAt(now))}::date, counted_as, count(*)
      FROM written JOIN given USING (id), LATERAL (VALUES (NULL::uuid), (written.application_id)) AS scope (id)
      WHERE counted_as IS NOT NULL
      GROUP BY written.tenant_id, scope.id, counted_as
      ORDER BY written.tenant_id, counted_as, scope.id NULLS FIRST
      ON CONFLICT (tenant_id, period, kind, application_id) DO UPDATE SET quantity = counter.quantity + excluded.quantity
    ), first_check AS (
      INSERT INTO checks (connection_id, tenant_id, due_at) SELECT id, tenant_id, ${at} FROM written
    ), entry AS (
      INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state)
      SELECT tenant_id, id, ${at}, 'move', 'created', ${ACCEPTED} FROM written
    ), started AS (
      INSERT INTO outbox (tenant_id, environment, aggregate_kind, aggregate_id, workflow, kind, trace_context)
      SELECT tenant_id, environment, 'connection', id, 'connection', 'start', ${currentTrace()}::text FROM written
      WHERE batch_id IS NULL
    ), held AS (
      INSERT INTO held_starts (connection_id, tenant_id) SELECT id, tenant_id FROM written WHERE batch_id IS NOT NULL
    ), ${eventsOfWritten(shown, ACCEPTED_EVENTS, now)}
    SELECT * FROM written
  `);
}

function rowOf({ desired_records, ...connection }: NewConnection) {
  const id = uuidv7();
  const proof: Proof = connection.proof_target === null ? 'txt' : 'cname_target';
  return {
    ...connection,
    id,
    challenge_token: randomBytes(32).toString('base64url'),
    desired_records: desired_records(id),
    proof,
    counted_as: connectKindOf(connection),
  };
}
