import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import { presentConnection, type ConnectionFacts } from '../../domain/connection/connection-resource.ts';
import { EVERY_EVENT, type EventType, type TEST_EVENT } from '../../domain/webhook/events.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';
import { currentTrace } from '../../telemetry/tracing.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { jsonOf, none, sql, type Fragment, type Queryable, type Tx } from '../pool.ts';

/** Retention time of events, deliveries and attempts. */
const KEPT = sql.fragment`interval '30 days'`;

export const EventRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  connection_id: z.uuid().nullable(),
  environment: z.enum(['test', 'live']),
  type: z.string(),
  sequence: z.number().nullable(),
  at: z.date(),
  data: z.record(z.string(), z.unknown()),
  created_at: z.date(),
});
export type EventRow = z.infer<typeof EventRow>;

const columns = sql.fragment`id, tenant_id, application_id, connection_id, environment, type, sequence, at, data, created_at`;
const inserted = sql.fragment`events (id, tenant_id, application_id, connection_id, environment, type, sequence, at, data)`;

/** Part of a statement whose part `event` creates events: a delivery for each endpoint. */
const deliveryTo = (endpoints: Fragment) => sql.fragment`
  delivery AS (
    INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, connection_id, next_attempt_at)
    SELECT uuid_v7(), event.tenant_id, endpoint.id, event.id, event.type, event.connection_id, event.at
    FROM event JOIN webhook_endpoints AS endpoint ON ${endpoints}
    ORDER BY event.sequence
    RETURNING id, tenant_id, event_id
  )`;

const startDeliveries = () => sql.fragment`
  INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
  SELECT delivery.tenant_id, 'delivery', delivery.id, 'webhookDelivery', 'start', ${currentTrace()}::text
  FROM delivery JOIN event ON event.id = delivery.event_id ORDER BY event.sequence`;

/** Ends a statement whose part `event` creates events: adds a delivery and its message for each endpoint. */
const deliverTo = (endpoints: Fragment) => sql.fragment`, ${deliveryTo(endpoints)} ${startDeliveries()}`;

const isSubscribed = sql.fragment`
  endpoint.application_id = event.application_id AND endpoint.active AND endpoint.events && ARRAY[event.type, ${EVERY_EVENT}]`;

const subscribed = () => deliverTo(isSubscribed);

/** Time of an event, and its data besides the connection. */
interface EventContext {
  now: Date;
  eventData?: Record<string, unknown>;
}

/** An event of a connection, with the row as the change left it. */
export interface RowEvent {
  type: EventType;
  row: ConnectionFacts;
  at: Date;
  data: Record<string, unknown>;
}

/**
 * Parts of a statement whose part `moved` updates the row of one connection, and adds the number of events to its
 * `event_sequence`: the events in order, with their deliveries and messages.
 */
export const eventsOfMoved = (events: readonly RowEvent[]): Fragment => eventsOfEach(sql.fragment`moved`, [events]);

/** Parts like those of `eventsOfMoved`, for a statement whose part `written` creates the rows of connections. */
export const eventsOfWritten = (rows: readonly ConnectionFacts[], types: readonly EventType[], at: Date): Fragment =>
  eventsOfEach(
    sql.fragment`written`,
    rows.map((row) => types.map((type) => ({ type, row, at, data: {} }))),
  );

/** `part` returns the rows that were written, each with its `event_sequence` after the events. */
function eventsOfEach(part: Fragment, ofRows: readonly (readonly RowEvent[])[]): Fragment {
  const events = ofRows.flatMap((ofRow) =>
    ofRow.map(({ type, row, at, data }, index) => ({
      id: uuidv7(),
      connection_id: row.id,
      type,
      at,
      place: index + 1 - ofRow.length,
      data: { connection: presentConnection(row), ...data },
    })),
  );
  return sql.fragment`
    event AS (
      INSERT INTO ${inserted}
      SELECT given.id, part.tenant_id, part.application_id, part.id, part.environment, given.type,
        part.event_sequence + given.place, given.at, given.data
      FROM ${part} AS part JOIN jsonb_to_recordset(${sql.jsonb(jsonOf(events))})
        AS given (id uuid, connection_id uuid, type text, at timestamptz, place int, data jsonb)
        ON given.connection_id = part.id
      ORDER BY given.place
      RETURNING ${columns}
    ), ${deliveryTo(isSubscribed)}, message AS (${startDeliveries()})`;
}

/** Adds an event to each connection, numbered per connection, with a delivery for each subscribed endpoint. */
export async function recordEvents(
  tx: Tx,
  rows: readonly ConnectionRow[],
  type: EventType,
  { now, eventData }: EventContext,
): Promise<void> {
  const completed = type === 'domain.flow.completed' ? sql.timestamp(now) : sql.fragment`flow_completed_at`;
  const events = rows.map((row) => ({
    id: uuidv7(),
    connection_id: row.id,
    data: { connection: presentConnection(row), ...eventData },
  }));
  await tx.query(sql.type(none)`
    WITH new_events AS (
      SELECT id, connection_id, data
      FROM jsonb_to_recordset(${sql.jsonb(jsonOf(events))}) AS given (id uuid, connection_id uuid, data jsonb)
    ), numbered AS (
      UPDATE connections SET event_sequence = event_sequence + 1, flow_completed_at = ${completed}
      FROM new_events WHERE connections.id = new_events.connection_id
      RETURNING new_events.id, tenant_id, application_id, connection_id, environment, event_sequence, data
    ), event AS (
      INSERT INTO ${inserted}
      SELECT id, tenant_id, application_id, connection_id, environment, ${type}, event_sequence, ${sql.timestamp(now)}, data
      FROM numbered
      RETURNING ${columns}
    )
    ${subscribed()}
  `);
}

interface EventOwner {
  tenant_id: string;
  application_id: string;
  environment: Environment;
}

/** Adds an event that concerns an application and no single connection, such as a batch. It has no sequence. */
export async function recordApplicationEvent(
  tx: Tx,
  owner: EventOwner,
  type: EventType,
  { now, data }: { now: Date; data: Record<string, unknown> },
): Promise<void> {
  await tx.query(sql.type(none)`
    WITH event AS (${insertWithoutConnection(owner, type, now, data)}) ${subscribed()}
  `);
}

/** Adds a test event for one endpoint, and returns the delivery's id. Events of the example connection are numbered. */
export async function recordTestEvent(
  tx: Tx,
  endpoint: EventOwner & { id: string },
  type: EventType | typeof TEST_EVENT,
  { now, data }: { now: Date; data: Record<string, unknown> },
): Promise<string> {
  const eventId = uuidv7();
  await tx.query(sql.type(none)`
    WITH event AS (${insertExample(endpoint, type, now, data, eventId)})
    ${deliverTo(sql.fragment`endpoint.id = ${endpoint.id}`)}
  `);
  return tx.oneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM webhook_deliveries WHERE event_id = ${eventId}
  `);
}

const insertExample = (owner: EventOwner, type: string, now: Date, data: Record<string, unknown>, id: string) =>
  insertWithoutConnection(owner, type, now, data, {
    id,
    sequence: Object.hasOwn(data, 'connection')
      ? sql.fragment`(SELECT coalesce(max(sequence), 0) + 1 FROM events
          WHERE application_id = ${owner.application_id} AND connection_id IS NULL)`
      : sql.fragment`NULL`,
  });

const insertWithoutConnection = (
  { tenant_id, application_id, environment }: EventOwner,
  type: string,
  now: Date,
  data: Record<string, unknown>,
  { id, sequence } = { id: uuidv7(), sequence: sql.fragment`NULL` },
) => sql.fragment`
  INSERT INTO ${inserted}
  VALUES (${id}, ${tenant_id}, ${application_id}, NULL, ${environment}, ${type}, ${sequence}, ${sql.timestamp(now)},
          ${sql.jsonb(jsonOf(data))})
  RETURNING ${columns}
`;

export interface EventFilter {
  environments: readonly Environment[];
  type?: string | undefined;
  application_id?: string | undefined;
  connection_id?: string | undefined;
}

export function listEvents(
  db: Queryable,
  { environments, ...filter }: EventFilter,
  page: PageRequest,
): Promise<readonly EventRow[]> {
  const equal = (['type', 'application_id', 'connection_id'] as const).flatMap((column) =>
    filter[column] === undefined ? [] : [sql.fragment`${sql.identifier([column])} = ${filter[column]}`],
  );
  const conditions = [
    sql.fragment`environment = ANY(${sql.array([...environments], 'text')}) AND created_at > now() - ${KEPT}`,
    ...equal,
  ];
  return db.any(sql.type(EventRow)`
    SELECT ${columns} FROM events WHERE ${sql.join(conditions, sql.fragment` AND `)} AND ${pageOf(page)}
  `);
}

export const getEvent = (db: Queryable, id: string): Promise<EventRow | null> =>
  db.maybeOne(sql.type(EventRow)`SELECT ${columns} FROM events WHERE id = ${id} AND created_at > now() - ${KEPT}`);
