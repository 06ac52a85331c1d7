import { uuidv7 } from 'uuidv7';
import { presentConnection } from '../domain/connection-resource.ts';
import type { EventType } from '../domain/events.ts';
import type { ConnectionRow } from './connection-row.ts';
import { jsonOf, none, sql, type Tx } from './pool.ts';

/** One event row per fact, numbered per connection, in the transaction that makes it a fact. */
export async function recordEvent(
  tx: Tx,
  row: ConnectionRow,
  type: EventType,
  { now, eventData }: { now: Date; eventData?: Record<string, unknown> },
): Promise<void> {
  const completed = type === 'domain.flow.completed' ? sql.timestamp(now) : sql.fragment`flow_completed_at`;
  await tx.query(sql.type(none)`
    WITH numbered AS (
      UPDATE connections SET event_sequence = event_sequence + 1, flow_completed_at = ${completed}
      WHERE id = ${row.id}
      RETURNING event_sequence
    )
    INSERT INTO events (id, tenant_id, application_id, connection_id, environment, type, sequence, at, data)
    SELECT ${uuidv7()}, ${row.tenant_id}, ${row.application_id}, ${row.id}, ${row.environment}, ${type}, event_sequence,
           ${sql.timestamp(now)}, ${sql.jsonb(jsonOf({ connection: presentConnection(row), ...eventData }))}
    FROM numbered
  `);
}
