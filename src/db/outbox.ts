import { USES_NEW_CREDENTIAL } from '../domain/connection/state-sets.ts';
import { inStates } from './state-list.ts';
import { z } from 'zod';
import type { CredentialRow } from './zone/credentials.ts';
import { currentTrace } from '../telemetry/tracing.ts';
import { none, sql, type Fragment, type Queryable, type Tx } from './pool.ts';

export type AggregateKind = 'connection' | 'delivery' | 'certificate_order' | 'cutover';

export const CONNECTION_MESSAGES = ['start', 'touch', 'credentials_changed', 'archive'] as const;
export type ConnectionMessage = (typeof CONNECTION_MESSAGES)[number];

/** A message for the workflow of one connection or delivery. */
const OutboxMessage = z.object({
  id: z.number(),
  tenant_id: z.uuid(),
  aggregate_kind: z.string(),
  aggregate_id: z.uuid(),
  /** Workflow type of the receiver. */
  workflow: z.string(),
  kind: z.string(),
  attempts: z.number(),
  /** `traceparent` of the span that caused the message. Null while traces are off. */
  trace_context: z.string().nullable(),
});
export type OutboxMessage = z.infer<typeof OutboxMessage>;

export interface NewMessage {
  aggregate: { kind: AggregateKind; id: string; tenant_id: string };
  workflow: string;
  kind: string;
}

/** Adds a message in the transaction that it reports, so that it is sent exactly if the transaction commits. */
export async function enqueueMessage(tx: Queryable, { aggregate, workflow, kind }: NewMessage): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
    VALUES (
      ${aggregate.tenant_id}, ${aggregate.kind}, ${aggregate.id}, ${workflow}, ${kind}, ${currentTrace()})
  `);
}

export const enqueue = (
  tx: Queryable,
  connection: { id: string; tenant_id: string },
  kind: ConnectionMessage,
): Promise<void> =>
  enqueueMessage(tx, {
    aggregate: { kind: 'connection', id: connection.id, tenant_id: connection.tenant_id },
    workflow: 'connection',
    kind,
  });

/** Gives a delivery that must be retried a workflow of its own. */
export async function enqueueDelivery(db: Queryable, id: string): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
    SELECT tenant_id, 'delivery', id, 'webhookDelivery', 'retry', ${currentTrace(id)}::text FROM webhook_deliveries WHERE id = ${id}
  `);
}

/** Wakes the connections that wait for records which this credential could write. */
export async function announceCredential(
  tx: Queryable,
  { tenant_id, application_id, zones }: Pick<CredentialRow, 'tenant_id' | 'application_id' | 'zones'>,
): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
    SELECT tenant_id, 'connection', id, 'connection', 'credentials_changed', ${currentTrace()}::text FROM connections
    WHERE application_id = ${application_id}
      AND state ${inStates(USES_NEW_CREDENTIAL)}
      AND id IN (SELECT connections_at_or_below(${tenant_id}, ${sql.array(zones, 'text')}))
  `);
}

/** Number of the oldest messages among which tenants take turns. A larger number would make a long backlog slow. */
const CANDIDATES = 2_000;

/** Largest number of connections that a tenant starts at the same time, in each environment, before it is another's turn. */
export const STARTS_TOGETHER = 5;

/** Tenants, each in one environment, that start no connection now. */
export type BusyParties = readonly { tenant_id: string; environment: string }[];

/** Due messages of these workflows. Only the start of a connection has an environment, and `busy` start none. */
function dueMessages(workflows: readonly string[], busy: BusyParties): Fragment {
  const busyParties = sql.unnest(
    busy.map(({ tenant_id, environment }) => [tenant_id, environment]),
    ['uuid', 'text'],
  );
  return sql.fragment`
    outbox
    WHERE next_attempt_at <= now() AND workflow = ANY(${sql.array([...workflows], 'text')})
      AND NOT EXISTS (
        SELECT FROM ${busyParties} AS busy (tenant_id, environment)
        WHERE busy.tenant_id = outbox.tenant_id AND busy.environment = outbox.environment)`;
}

/**
 * Takes and locks due messages, tenants in turn and their live connections first: only the oldest per connection or
 * delivery, to keep their order. A replay does not wait for a start that was postponed.
 */
export function takeDue(
  tx: Tx,
  workflows: readonly string[],
  limit: number,
  busy: BusyParties = [],
): Promise<readonly OutboxMessage[]> {
  return tx.any(sql.type(OutboxMessage)`
    WITH due AS (
      SELECT id, tenant_id, environment FROM ${dueMessages(workflows, busy)}
      ORDER BY id LIMIT ${CANDIDATES}
    ), numbered AS (
      SELECT id, environment, row_number() OVER (PARTITION BY tenant_id, environment ORDER BY id) AS turn FROM due
    ), in_turn AS (
      SELECT id, turn FROM numbered WHERE environment IS NULL OR turn <= ${STARTS_TOGETHER}
    )
    SELECT id, tenant_id, aggregate_kind, aggregate_id, workflow, kind, attempts, trace_context
    FROM outbox AS message JOIN in_turn USING (id)
    WHERE message.kind = 'replay' OR NOT EXISTS (
      SELECT FROM outbox AS older
      WHERE older.aggregate_kind = message.aggregate_kind AND older.aggregate_id = message.aggregate_id
        AND older.id < message.id)
    ORDER BY turn, environment, id
    LIMIT ${limit}
    FOR UPDATE OF message SKIP LOCKED
  `);
}

/** Whether a message is due, and the age in seconds of the oldest message of any type. A postponed one is dated ahead. */
export const checkOutbox = (
  db: Queryable,
  workflows: readonly string[],
  busy: BusyParties = [],
): Promise<{ isDue: boolean; oldest: number }> =>
  db.one(sql.type(z.object({ isDue: z.boolean(), oldest: z.number() }))`
    SELECT EXISTS (SELECT FROM ${dueMessages(workflows, busy)}) AS "isDue",
      (SELECT greatest(0, extract(epoch FROM now() - min(created_at))) FROM outbox)::float8 AS oldest
  `);

export async function markSent(tx: Tx, ids: number[]): Promise<void> {
  await tx.query(sql.type(none)`DELETE FROM outbox WHERE id = ANY(${sql.array(ids, 'int8')})`);
}

/** Schedules the next try after two seconds, doubling to a minute. */
export async function markFailed(tx: Tx, ids: number[]): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE outbox
    SET attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + least(60, 2 ^ least(attempts + 1, 6)) * interval '1 second'
    WHERE id = ANY(${sql.array(ids, 'int8')})
  `);
}

/** Makes messages that could not be sent due immediately, and leaves postponed ones, which are dated ahead. */
export async function makeDue(db: Queryable, workflows: readonly string[]): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE outbox SET next_attempt_at = now()
    WHERE next_attempt_at > now() AND created_at <= now() AND workflow = ANY(${sql.array([...workflows], 'text')})
  `);
}
