import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import type { AttemptOutcome } from '../../domain/webhook/attempt.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { none, sql, type Queryable, type Tx } from '../pool.ts';

export const DELIVERY_STATUS = ['pending', 'delivered', 'failed'] as const;
export const FAILURE_REASONS = ['attempts_exhausted', 'endpoint_inactive', 'event_expired'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export const DeliveryRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  endpoint_id: z.uuid(),
  event_id: z.uuid(),
  event_type: z.string(),
  connection_id: z.uuid().nullable(),
  status: z.enum(DELIVERY_STATUS),
  reason: z.enum(FAILURE_REASONS).nullable(),
  attempts: z.number(),
  round: z.number(),
  round_attempts: z.number(),
  next_attempt_at: z.date().nullable(),
  last_attempt_at: z.date().nullable(),
  delivered_at: z.date().nullable(),
  created_at: z.date(),
});
export type DeliveryRow = z.infer<typeof DeliveryRow>;

const columns = sql.fragment`
  id, tenant_id, endpoint_id, event_id, event_type, connection_id, status, reason, attempts, round, round_attempts,
  next_attempt_at, last_attempt_at, delivered_at, created_at
`;

export const getDelivery = (db: Queryable, id: string): Promise<DeliveryRow | null> =>
  db.maybeOne(sql.type(DeliveryRow)`SELECT ${columns} FROM webhook_deliveries WHERE id = ${id}`);

export const lockDelivery = (tx: Tx, id: string): Promise<DeliveryRow | null> =>
  tx.maybeOne(sql.type(DeliveryRow)`SELECT ${columns} FROM webhook_deliveries WHERE id = ${id} FOR UPDATE`);

export interface DeliveryFilter {
  status?: DeliveryRow['status'] | undefined;
  event?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The owner of the listed deliveries. An index gives the order for each. */
type DeliveriesOf =
  { endpoint_id: string; connection_id?: undefined } | { connection_id: string; endpoint_id?: undefined };

export function listDeliveries(
  db: Queryable,
  { endpoint_id, connection_id, status, event, since, until }: DeliveryFilter & DeliveriesOf,
  page: PageRequest,
): Promise<readonly DeliveryRow[]> {
  const conditions = [
    ...(endpoint_id === undefined ? [] : [sql.fragment`endpoint_id = ${endpoint_id}`]),
    ...(connection_id === undefined ? [] : [sql.fragment`connection_id = ${connection_id}`]),
    ...(status === undefined ? [] : [sql.fragment`status = ${status}`]),
    ...(event === undefined ? [] : [sql.fragment`event_type = ${event}`]),
    ...(since === undefined ? [] : [sql.fragment`created_at >= ${sql.timestamp(since)}`]),
    ...(until === undefined ? [] : [sql.fragment`created_at < ${sql.timestamp(until)}`]),
  ];
  return db.any(sql.type(DeliveryRow)`
    SELECT ${columns} FROM webhook_deliveries WHERE ${sql.join(conditions, sql.fragment` AND `)} AND ${pageOf(page)}
  `);
}

export const deliveriesOfEvent = (db: Queryable, eventId: string): Promise<readonly DeliveryRow[]> =>
  db.any(sql.type(DeliveryRow)`
    SELECT ${columns} FROM webhook_deliveries WHERE event_id = ${eventId} ORDER BY endpoint_id
  `);

const AttemptRow = z.object({
  number: z.number(),
  url: z.string(),
  outcome: z.string(),
  status_code: z.number().nullable(),
  error: z.string().nullable(),
  response: z.string().nullable(),
  duration_ms: z.number(),
  created_at: z.date(),
});
export type AttemptRow = z.infer<typeof AttemptRow>;

/** Maximum number of attempts in a response: more than ten rounds of one delivery are not shown. */
const ATTEMPTS_SHOWN = 100;

export const attemptsOf = (db: Queryable, deliveryId: string): Promise<readonly AttemptRow[]> =>
  db.any(sql.type(AttemptRow)`
    SELECT number, url, outcome, status_code, error, response, duration_ms, created_at
    FROM webhook_attempts WHERE delivery_id = ${deliveryId} ORDER BY number DESC, id DESC LIMIT ${ATTEMPTS_SHOWN}
  `);

/** Everything that an attempt needs, read in the statement that leases the delivery. */
const Claimed = DeliveryRow.pick({
  id: true,
  tenant_id: true,
  endpoint_id: true,
  event_id: true,
  event_type: true,
  attempts: true,
  round: true,
  round_attempts: true,
  created_at: true,
}).extend({
  application_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  sequence: z.number().nullable(),
  at: z.date(),
  data: z.record(z.string(), z.unknown()),
  url: z.string(),
  failures: z.number(),
  ...Envelope.shape,
  next_secret_at: z.date().nullable(),
});
export type ClaimedDelivery = z.infer<typeof Claimed>;

/** Longer than an attempt can take, including its turn. */
const CLAIMED_FOR = sql.fragment`interval '40 seconds'`;

export interface ClaimOptions {
  /** Identifies the attempts. They may lease the deliveries again after their worker was killed. */
  by: string;
  /** Only the first attempt of a round, or any that is due. */
  mode: 'first' | 'due';
  now: Date;
  /** Ignores the pause of its endpoint. */
  probes: boolean;
}

/** Temporal's timers are not exact to the millisecond. */
const DUE_WITHIN_MS = 1_000;

const isWanted = ({ mode, now }: ClaimOptions) => {
  const isDue = sql.fragment`delivery.next_attempt_at <= ${sql.timestamp(new Date(now.getTime() + DUE_WITHIN_MS))}`;
  return mode === 'first'
    ? sql.fragment`delivery.round_attempts = 0`
    : sql.fragment`(delivery.round_attempts = 0 OR ${isDue})`;
};

/** Leases deliveries for one attempt each; only those that are pending and due, with an endpoint that is working. */
export const claimDeliveries = (
  db: Queryable,
  ids: readonly string[],
  options: ClaimOptions,
): Promise<readonly ClaimedDelivery[]> =>
  db.any(sql.type(Claimed)`
    UPDATE webhook_deliveries AS delivery
    SET claimed_by = ${options.by}, claimed_until = clock_timestamp() + ${CLAIMED_FOR}
    FROM events AS event, webhook_endpoints AS endpoint
    WHERE delivery.id = ANY(${sql.array([...ids], 'uuid')}) AND delivery.status = 'pending' AND ${isWanted(options)}
      AND (delivery.claimed_until IS NULL OR delivery.claimed_until < clock_timestamp()
        OR delivery.claimed_by = ${options.by})
      AND event.id = delivery.event_id AND endpoint.id = delivery.endpoint_id
      AND endpoint.active AND (${options.probes} OR endpoint.paused_until IS NULL)
    RETURNING delivery.id, delivery.tenant_id, delivery.endpoint_id, delivery.event_id, delivery.event_type,
      delivery.attempts, delivery.round, delivery.round_attempts, delivery.created_at, event.application_id,
      event.environment, event.sequence, event.at, event.data, endpoint.url, endpoint.failures, endpoint.key_id,
      endpoint.wrapped_key, endpoint.ciphertext, endpoint.next_secret_at
  `);

const Unclaimed = DeliveryRow.pick({
  id: true,
  status: true,
  endpoint_id: true,
  next_attempt_at: true,
  created_at: true,
}).extend({
  has_event: z.boolean(),
  endpoint_active: z.boolean().nullable(),
  failures: z
    .number()
    .nullable()
    .transform((failures) => failures ?? 0),
  failing_since: z.date().nullable(),
  last_failure_at: z.date().nullable(),
  paused_until: z.date().nullable(),
});
export type UnclaimedDelivery = z.infer<typeof Unclaimed>;

/** Reads what explains why deliveries were not leased. */
export const unclaimedDeliveries = (db: Queryable, ids: readonly string[]): Promise<readonly UnclaimedDelivery[]> =>
  db.any(sql.type(Unclaimed)`
    SELECT delivery.id, delivery.status, delivery.endpoint_id, delivery.next_attempt_at, delivery.created_at,
      EXISTS (SELECT FROM events WHERE events.id = delivery.event_id) AS has_event,
      endpoint.active AS endpoint_active, endpoint.failures, endpoint.failing_since, endpoint.last_failure_at,
      endpoint.paused_until
    FROM webhook_deliveries AS delivery LEFT JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
    WHERE delivery.id = ANY(${sql.array([...ids], 'uuid')})
  `);

export interface NewAttempt {
  url: string;
  outcome: AttemptOutcome;
  statusCode: number | null;
  error: string | null;
  response: string | null;
  durationMs: number;
  startedAt: Date;
}

export type AfterAttempt =
  { status: 'delivered' } | { status: 'pending'; nextAttemptAt: Date } | { status: 'failed'; reason: FailureReason };

/** An attempt at a leased delivery, and the delivery's state after it. */
export interface MadeAttempt {
  claimed: Pick<ClaimedDelivery, 'id' | 'tenant_id' | 'round'>;
  attempt: NewAttempt;
  after: AfterAttempt;
}

const asRow = ({ claimed, attempt, after }: MadeAttempt) => [
  claimed.id,
  claimed.tenant_id,
  claimed.round,
  after.status,
  after.status === 'failed' ? after.reason : null,
  after.status === 'pending' ? after.nextAttemptAt.toISOString() : null,
  attempt.url,
  attempt.outcome,
  attempt.statusCode,
  attempt.error,
  attempt.response,
  attempt.durationMs,
  attempt.startedAt.toISOString(),
];
const ROW_TYPES = ['uuid', 'uuid', 'int4', 'text', 'text', 'timestamptz', 'text', 'text', 'int4', 'text', 'text', 'int4', 'timestamptz']; // prettier-ignore

/** Saves attempts and updates their deliveries. An attempt that a replay has overtaken is only logged. */
export async function recordAttempts(db: Queryable, made: readonly MadeAttempt[]): Promise<void> {
  const counts = sql.fragment`delivery.round = made.round`;
  await db.query(sql.type(none)`
    WITH made AS (
      SELECT * FROM ${sql.unnest(made.map(asRow), ROW_TYPES)} AS made (
        id, tenant_id, round, status, reason, next_attempt_at, url, outcome, status_code, error, response, duration_ms, started_at)
    ), moved AS (
      UPDATE webhook_deliveries AS delivery SET
        attempts = delivery.attempts + 1,
        last_attempt_at = made.started_at,
        round_attempts = delivery.round_attempts + CASE WHEN ${counts} THEN 1 ELSE 0 END,
        status = CASE WHEN ${counts} THEN made.status ELSE delivery.status END,
        reason = CASE WHEN ${counts} THEN made.reason ELSE delivery.reason END,
        next_attempt_at = CASE WHEN ${counts} THEN made.next_attempt_at ELSE delivery.next_attempt_at END,
        delivered_at = coalesce(delivery.delivered_at, CASE WHEN made.status = 'delivered' THEN made.started_at END),
        claimed_by = NULL,
        claimed_until = NULL
      FROM made WHERE delivery.id = made.id
      RETURNING delivery.id, delivery.attempts
    )
    INSERT INTO webhook_attempts (
      tenant_id, delivery_id, number, url, outcome, status_code, error, response, duration_ms, created_at)
    SELECT tenant_id, id, moved.attempts, url, outcome, status_code, error, response, duration_ms, started_at
    FROM made JOIN moved USING (id)
  `);
}

/** Ends a delivery without an attempt. */
export async function giveUp(db: Queryable, id: string, reason: FailureReason): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE webhook_deliveries SET status = 'failed', reason = ${reason}, next_attempt_at = NULL
    WHERE id = ${id} AND status = 'pending'
  `);
}

/** Returns the age in seconds of the oldest pending delivery; zero if there is none. */
export const oldestPending = (db: Queryable): Promise<number> =>
  db.oneFirst(sql.type(z.object({ age: z.number() }))`
    SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age
    FROM webhook_deliveries WHERE status = 'pending'
  `);
