import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { jsonOf, none, sql, type Pool, type Tx } from '../../src/db/pool.ts';
import type { ApplicationRow } from '../../src/db/tenant/applications.ts';
import { insertEndpoint } from '../../src/db/webhook/endpoints.ts';
import { removeConnections } from '../../src/db/zone/removal.ts';
import { presentConnection } from '../../src/domain/connection/connection-resource.ts';
import { DAY } from '../../src/domain/duration.ts';
import { EVERY_EVENT } from '../../src/domain/webhook/events.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { sealSecrets } from '../../src/webhooks/secrets.ts';
import { mintWebhookSecret } from '../../src/webhooks/sign.ts';
import { SEED_SUFFIX, seededConnection, type Seeded, type SeedRun } from './plausible.ts';

const ROWS_PER_TRANSACTION = 2_000;

/** Facts that all seeded connections share. */
const SHARED = {
  environment: 'test',
  kind: 'subdomain',
  setup_type: 'manual',
  batch_id: null,
  serve: true,
  proof: 'txt',
} as const;

type Application = Pick<ApplicationRow, 'id' | 'tenant_id'>;

/** Adds connections to a test application, a few thousand per transaction. */
export async function fill(
  pool: Pool,
  application: Application,
  {
    count,
    endpointId,
    run,
    onProgress,
  }: { count: number; endpointId: string; run: SeedRun; onProgress(done: number): void },
): Promise<void> {
  for (let done = 0; done < count;) {
    const size = Math.min(ROWS_PER_TRANSACTION, count - done);
    const rows = Array.from({ length: size }, (_, index) => seededConnection(done + index, run));
    await pool.transaction(async (tx) => {
      await insertConnections(tx, application, rows);
      await insertHistories(tx, application, rows, { endpointId, run });
    });
    onProgress((done += size));
  }
}

/** `due_at` stays null, so the reconciler misses no workflow of these connections and starts none. */
async function insertConnections(tx: Tx, { id, tenant_id }: Application, rows: readonly Seeded[]): Promise<void> {
  await tx.query(sql.type(none)`
    WITH made AS (
      INSERT INTO connections (
        id, tenant_id, application_id, environment, hostname, kind, state, provider, external_id, error_code, findings,
        challenge_token, desired_records, version, event_sequence, phase_started_at, proved_at, live_at, flow_completed_at,
        certificate_status, certificate_not_before, certificate_not_after, archived_at, cleanup, dangling, created_at)
      SELECT id, ${tenant_id}, ${id}, 'test', hostname, 'subdomain', state, provider, external_id, error_code, findings,
        challenge_token, desired_records, version, event_sequence, phase_started_at, proved_at, live_at, live_at,
        certificate_status, certificate_not_before, certificate_not_after, archived_at, cleanup, dangling, created_at
      FROM jsonb_to_recordset(${sql.jsonb(jsonOf(rows))}) AS given (
        id uuid, hostname text, state text, provider text, external_id text, error_code text, findings jsonb,
        challenge_token text, desired_records jsonb, version integer, event_sequence integer, phase_started_at timestamptz,
        proved_at timestamptz, live_at timestamptz, certificate_status text, certificate_not_before timestamptz,
        certificate_not_after timestamptz, archived_at timestamptz, cleanup text, dangling boolean, created_at timestamptz)
      RETURNING id, tenant_id, state
    )
    INSERT INTO checks (connection_id, tenant_id, last_checked_at, next_check_at, due_at)
    SELECT id, tenant_id, now(), CASE WHEN state NOT IN ('failed', 'archived') THEN now() + interval '1 hour' END, NULL
    FROM made
  `);
}

/** Events and deliveries are kept for 30 days, so older ones are left out. */
async function insertHistories(
  tx: Tx,
  { id: application_id, tenant_id }: Application,
  rows: readonly Seeded[],
  { endpointId, run: { now, random } }: { endpointId: string; run: SeedRun },
): Promise<void> {
  const moves = rows.flatMap(({ id, moves: made }) => made.map((move) => ({ connection_id: id, ...move })));
  await tx.query(sql.type(none)`
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state)
    SELECT ${tenant_id}, connection_id, at, 'move', "from", "to"
    FROM jsonb_to_recordset(${sql.jsonb(jsonOf(moves))}) AS given (connection_id uuid, at timestamptz, "from" text, "to" text)
  `);
  const events = rows.flatMap(({ events: made, ...row }) =>
    made
      .filter(({ at }) => at.getTime() > now.getTime() - 29 * DAY)
      .map((event) => ({
        ...event,
        connection_id: row.id,
        data: { connection: presentConnection({ ...row, ...SHARED, application_id }) },
        delivery_id: uuidv7(),
        is_delivered: random() < 0.95,
      })),
  );
  const given = sql.fragment`
    jsonb_to_recordset(${sql.jsonb(jsonOf(events))}) AS given (
      id uuid, connection_id uuid, type text, sequence integer, at timestamptz, data jsonb, delivery_id uuid,
      is_delivered boolean)`;
  await tx.query(sql.type(none)`
    INSERT INTO events (id, tenant_id, application_id, connection_id, environment, type, sequence, at, created_at, data)
    SELECT id, ${tenant_id}, ${application_id}, connection_id, 'test', type, sequence, at, at, data FROM ${given}
  `);
  await tx.query(sql.type(none)`
    INSERT INTO webhook_deliveries (
      id, tenant_id, endpoint_id, event_id, event_type, connection_id, status, reason, attempts, round_attempts,
      last_attempt_at, delivered_at, created_at)
    SELECT delivery_id, ${tenant_id}, ${endpointId}, id, type, connection_id,
      CASE WHEN is_delivered THEN 'delivered' ELSE 'failed' END, CASE WHEN NOT is_delivered THEN 'attempts_exhausted' END,
      1, 1, at, CASE WHEN is_delivered THEN at END, at
    FROM ${given}
  `);
  await tx.query(sql.type(none)`
    INSERT INTO webhook_attempts (
      tenant_id, delivery_id, number, url, outcome, status_code, error, response, duration_ms, created_at)
    SELECT ${tenant_id}, delivery_id, 1, ${RECEIVER}, CASE WHEN is_delivered THEN 'delivered' ELSE 'http_5xx' END,
      CASE WHEN is_delivered THEN 200 ELSE 500 END, NULL, CASE WHEN is_delivered THEN 'ok' ELSE 'out of order' END, 48, at
    FROM ${given}
  `);
}

const RECEIVER = `https://receiver${SEED_SUFFIX}/webhooks`;

/** Returns the webhook endpoint of the seeded deliveries. It is disabled, because no receiver listens there. */
export async function seedEndpoint(
  tx: Tx,
  vault: Vault,
  { id: application_id, tenant_id }: Application,
): Promise<string> {
  const existing = await tx.maybeOneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM webhook_endpoints WHERE application_id = ${application_id} AND url = ${RECEIVER} LIMIT 1
  `);
  if (existing !== null) return existing;
  const owner = { id: uuidv7(), tenant_id, application_id };
  const secrets = sealSecrets(vault, owner, { current: mintWebhookSecret(), next: null });
  const settings = { environment: 'test' as const, url: RECEIVER, events: [EVERY_EVENT], active: false };
  const made = await insertEndpoint(tx, { ...owner, ...secrets, ...settings });
  if (made === null) throw new Error('The application has too many webhook endpoints. Delete one of them.');
  await tx.query(sql.type(none)`
    UPDATE webhook_endpoints SET disabled_reason = 'failing', disabled_at = now() WHERE id = ${made.id}
  `);
  return made.id;
}

/** Removes all seeded connections of the application, and their endpoint. */
export async function removeSeeded(
  pool: Pool,
  applicationId: string,
  onProgress: (done: number) => void,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await pool.transaction((tx) => removeSomeSeeded(tx, applicationId));
    if (some === 0) break;
    onProgress((removed += some));
  }
  await pool.query(sql.type(none)`
    DELETE FROM webhook_endpoints WHERE application_id = ${applicationId} AND url = ${RECEIVER}
  `);
  return removed;
}

/** Archives connections before it deletes them, so that edges stop serving their hostnames. */
async function removeSomeSeeded(tx: Tx, applicationId: string): Promise<number> {
  const ids = await tx.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM connections
    WHERE application_id = ${applicationId} AND environment = 'test' AND right(hostname, ${SEED_SUFFIX.length}) = ${SEED_SUFFIX}
    LIMIT ${ROWS_PER_TRANSACTION} FOR UPDATE
  `);
  if (ids.length === 0) return 0;
  await tx.query(sql.type(none)`
    UPDATE connections SET state = 'archived', archived_at = now(), cleanup = 'done'
    WHERE id = ANY(${sql.array([...ids], 'uuid')}) AND state <> 'archived'
  `);
  await removeConnections(tx, ids, new Date());
  return ids.length;
}
