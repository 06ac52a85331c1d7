import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import type { EndpointHealth } from '../../domain/webhook/schedule.ts';
import { Envelope } from '../envelope.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { none, sql, timestampOrNull, type Queryable, type Tx } from '../pool.ts';

export const EndpointRow = Envelope.extend({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  disabled_reason: z.enum(['gone', 'failing']).nullable(),
  disabled_at: z.date().nullable(),
  next_secret_at: z.date().nullable(),
  failures: z.number(),
  failing_since: z.date().nullable(),
  last_failure_at: z.date().nullable(),
  paused_until: z.date().nullable(),
  created_at: z.date(),
});
export type EndpointRow = z.infer<typeof EndpointRow>;

const columns = sql.fragment`
  id, tenant_id, application_id, environment, url, events, active, disabled_reason, disabled_at, key_id, wrapped_key,
  ciphertext, next_secret_at, failures, failing_since, last_failure_at, paused_until, created_at
`;

export type NewEndpoint = Pick<
  EndpointRow,
  'id' | 'tenant_id' | 'application_id' | 'environment' | 'url' | 'events' | 'active'
> &
  Envelope;

/** Maximum number of endpoints of an application, because each event is stored once for each of them. */
export const ENDPOINTS_MAX = 100;

/** Returns null if the application has the maximum number of endpoints. The application's row must be locked. */
export const insertEndpoint = (tx: Tx, row: NewEndpoint): Promise<EndpointRow | null> =>
  tx.maybeOne(sql.type(EndpointRow)`
    INSERT INTO webhook_endpoints (
      id, tenant_id, application_id, environment, url, events, active, key_id, wrapped_key, ciphertext)
    SELECT ${row.id}::uuid, ${row.tenant_id}::uuid, ${row.application_id}::uuid, ${row.environment}, ${row.url},
      ${sql.array([...row.events], 'text')}, ${row.active}::boolean, ${row.key_id}, ${sql.binary(row.wrapped_key)},
      ${sql.binary(row.ciphertext)}
    WHERE (SELECT count(*) FROM webhook_endpoints WHERE application_id = ${row.application_id}) < ${ENDPOINTS_MAX}
    RETURNING ${columns}
  `);

export const getEndpoint = (db: Queryable, id: string): Promise<EndpointRow | null> =>
  db.maybeOne(sql.type(EndpointRow)`SELECT ${columns} FROM webhook_endpoints WHERE id = ${id}`);

/** Locks the row, so that two changes cannot undo each other. */
export const lockEndpoint = (tx: Tx, id: string): Promise<EndpointRow | null> =>
  tx.maybeOne(sql.type(EndpointRow)`SELECT ${columns} FROM webhook_endpoints WHERE id = ${id} FOR UPDATE`);

export function listEndpoints(
  db: Queryable,
  { environments, application_id }: { environments: readonly Environment[]; application_id?: string | undefined },
  page: PageRequest,
): Promise<readonly EndpointRow[]> {
  const ofApplication =
    application_id === undefined ? sql.fragment`true` : sql.fragment`application_id = ${application_id}`;
  return db.any(sql.type(EndpointRow)`
    SELECT ${columns} FROM webhook_endpoints
    WHERE environment = ANY(${sql.array([...environments], 'text')}) AND ${ofApplication} AND ${pageOf(page)}
  `);
}

export type EndpointSettings = Pick<EndpointRow, 'url' | 'events' | 'active'>;

/** Saves the tenant's settings. A reactivated endpoint, or one with a new URL, starts healthy. Lock the row first. */
export function updateEndpoint(db: Queryable, locked: EndpointRow, settings: EndpointSettings): Promise<EndpointRow> {
  const isAnew = (settings.active && !locked.active) || settings.url !== locked.url;
  const cleared = isAnew
    ? sql.fragment`, failures = 0, failing_since = NULL, last_failure_at = NULL, paused_until = NULL`
    : sql.fragment``;
  const enabled = settings.active ? sql.fragment`, disabled_reason = NULL, disabled_at = NULL` : sql.fragment``;
  return db.one(sql.type(EndpointRow)`
    UPDATE webhook_endpoints SET
      url = ${settings.url}, events = ${sql.array([...settings.events], 'text')}, active = ${settings.active}
      ${enabled} ${cleared}
    WHERE id = ${locked.id}
    RETURNING ${columns}
  `);
}

/** Replaces the envelope: rotated secrets, or the same ones under another master key. */
export const replaceSecrets = (
  db: Queryable,
  id: string,
  envelope: Envelope,
  nextSecretAt: Date | null,
): Promise<EndpointRow> =>
  db.one(sql.type(EndpointRow)`
    UPDATE webhook_endpoints SET
      key_id = ${envelope.key_id}, wrapped_key = ${sql.binary(envelope.wrapped_key)},
      ciphertext = ${sql.binary(envelope.ciphertext)}, next_secret_at = ${timestampOrNull(nextSecretAt)}
    WHERE id = ${id}
    RETURNING ${columns}
  `);

export async function deleteEndpoint(db: Queryable, id: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM webhook_endpoints WHERE id = ${id}`);
}

export const allEndpoints = (db: Queryable): Promise<readonly EndpointRow[]> =>
  db.any(sql.type(EndpointRow)`SELECT ${columns} FROM webhook_endpoints ORDER BY id`);

/** Takes the right to probe a paused endpoint. Only one attempt gets it before `until`. */
export async function takeProbe(db: Queryable, id: string, now: Date, until: Date): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`
    UPDATE webhook_endpoints SET paused_until = ${sql.timestamp(until)}
    WHERE id = ${id} AND paused_until <= ${sql.timestamp(now)}
  `);
  return rowCount === 1;
}

export async function recordHealth(tx: Tx, id: string, health: EndpointHealth): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE webhook_endpoints SET
      failures = ${health.failures}, failing_since = ${timestampOrNull(health.failing_since)},
      last_failure_at = ${timestampOrNull(health.last_failure_at)}, paused_until = ${timestampOrNull(health.paused_until)}
    WHERE id = ${id}
  `);
}

export async function disableEndpoint(tx: Tx, id: string, reason: 'gone' | 'failing', now: Date): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE webhook_endpoints SET active = false, disabled_reason = ${reason}, disabled_at = ${sql.timestamp(now)}
    WHERE id = ${id} AND active
  `);
}

/** Returns the number of endpoints that the service has disabled and no tenant has reactivated. */
export const countDisabled = (db: Queryable): Promise<number> =>
  db.oneFirst(sql.type(z.object({ n: z.number() }))`
    SELECT count(*) AS n FROM webhook_endpoints WHERE NOT active AND disabled_reason IS NOT NULL
  `);
