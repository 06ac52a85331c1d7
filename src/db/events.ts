import { uuidv7 } from 'uuidv7';
import { presentBatch, type BatchFacts } from '../domain/batch.ts';
import { presentConnection } from '../domain/connection-resource.ts';
import type { BatchEventType, EventType } from '../domain/events.ts';
import type { ConnectionRow } from './connection-row.ts';
import { jsonOf, none, sql, type Tx } from './pool.ts';

/** What an event is told with: when, and what it carries beside the connection. */
interface Telling {
  now: Date;
  eventData?: Record<string, unknown>;
}

/** One event row per fact, numbered per connection, in the transaction that makes it a fact. */
export const recordEvent = (tx: Tx, row: ConnectionRow, type: EventType, telling: Telling): Promise<void> =>
  recordEvents(tx, [row], type, telling);

/** The same fact of many connections. */
export async function recordEvents(
  tx: Tx,
  rows: readonly ConnectionRow[],
  type: EventType,
  { now, eventData }: Telling,
): Promise<void> {
  const completed = type === 'domain.flow.completed' ? sql.timestamp(now) : sql.fragment`flow_completed_at`;
  const told = rows.map((row) => ({
    id: uuidv7(),
    connection_id: row.id,
    data: { connection: presentConnection(row), ...eventData },
  }));
  await tx.query(sql.type(none)`
    WITH told AS (
      SELECT id, connection_id, data
      FROM jsonb_to_recordset(${sql.jsonb(jsonOf(told))}) AS told (id uuid, connection_id uuid, data jsonb)
    ), numbered AS (
      UPDATE connections SET event_sequence = event_sequence + 1, flow_completed_at = ${completed}
      FROM told WHERE connections.id = told.connection_id
      RETURNING told.id, tenant_id, application_id, connection_id, environment, event_sequence, data
    )
    INSERT INTO events (id, tenant_id, application_id, connection_id, environment, type, sequence, at, data)
    SELECT id, tenant_id, application_id, connection_id, environment, ${type}, event_sequence, ${sql.timestamp(now)}, data
    FROM numbered
  `);
}

/** The same for a batch, whose events are about no single connection. */
export async function recordBatchEvent(
  tx: Tx,
  batch: BatchFacts & { tenant_id: string; environment: string },
  type: BatchEventType,
  now: Date,
): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO events (id, tenant_id, application_id, batch_id, environment, type, sequence, at, data)
    VALUES (${uuidv7()}, ${batch.tenant_id}, ${batch.application_id}, ${batch.id}, ${batch.environment}, ${type}, 1,
            ${sql.timestamp(now)}, ${sql.jsonb(jsonOf({ batch: presentBatch(batch) }))})
  `);
}
