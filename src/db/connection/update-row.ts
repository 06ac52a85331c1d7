import { ENDED } from '../../domain/connection/state-sets.ts';
import type { ConnectionError, SetupType, State } from '../../domain/connection/connection.ts';
import type { Proof } from '../../domain/connection/cname-proof.ts';
import { timelineEntry, type TimelineEntry } from '../../domain/connection/timeline.ts';
import type { Finding } from '../../domain/observation/finding.ts';
import type { EventType } from '../../domain/webhook/events.ts';
import { jsonOf, none, sql, timestampOrNull, type Fragment, type Tx } from '../pool.ts';
import { eventsOfMoved } from '../webhook/events.ts';
import type { ConnectionRow } from './connection-row.ts';

/** Changes of the row besides its state. Absent fields stay as they are. */
export interface Change {
  /** Temporal's time in a workflow, the API's time in a request. */
  now: Date;
  reason?: string;
  error_code?: ConnectionError | null;
  findings?: Finding[];
  setup_type?: SetupType;
  provider?: string | null;
  nameservers?: string[] | null;
  certificate_status?: ConnectionRow['certificate_status'];
  certificate_not_before?: Date | null;
  certificate_not_after?: Date | null;
  certificate_ca?: string | null;
  certificate_checked_at?: Date | null;
  certificate_source?: ConnectionRow['certificate_source'];
  certificate_serial?: string | null;
  certificate_names?: string[] | null;
  certificate_imported?: boolean;
  before_dns?: boolean;
  point?: ConnectionRow['point'];
  delegated_to?: string | null;
  ready_to_point?: boolean;
  ready_at?: Date | null;
  records_when_ready?: string | null;
  desired_records?: ConnectionRow['desired_records'];
  variables?: ConnectionRow['variables'];
  record_change?: ConnectionRow['record_change'];
  record_changed_at?: Date | null;
  retiring_records?: ConnectionRow['retiring_records'];
  proof?: Proof;
  proof_checked_at?: Date | null;
  proof_missing_since?: Date | null;
  dangling?: boolean;
  departure_checked_at?: Date;
  cleanup?: ConnectionRow['cleanup'];
  credential_id?: string | null;
  repaired_at?: Date[] | null;
  phase_started_at?: Date | null;
  unasked_ms?: number;
  fast_until?: Date | null;
  last_checked_at?: Date | null;
  next_check_at?: Date | null;
  mismatch_count?: number;
  first_mismatch_at?: Date | null;
  /** Extra events, added to those that the transition emits. */
  alsoNotify?: EventType[];
  /** Extra event data, added to the fields that every transition writes. */
  eventData?: Record<string, unknown>;
}

const plain = (value: string | number | boolean | null) => sql.fragment`${value}`;
const json = (value: unknown) => sql.fragment`${sql.jsonb(jsonOf(value))}`;
const texts = (value: readonly string[] | null) => sql.fragment`${value && sql.array([...value], 'text')}`;
const time = (value: Date | null) => sql.fragment`${timestampOrNull(value)}`;
const times = (value: readonly Date[] | null) =>
  sql.fragment`${
    value &&
    sql.array(
      value.map((at) => at.toISOString()),
      'timestamptz',
    )
  }`;

/** Columns of the row that change besides its state, and how each is written. */
const WRITTEN = {
  error_code: plain,
  findings: json,
  setup_type: plain,
  provider: plain,
  nameservers: texts,
  certificate_status: plain,
  certificate_not_before: time,
  certificate_not_after: time,
  certificate_ca: plain,
  certificate_checked_at: time,
  certificate_source: plain,
  certificate_serial: plain,
  certificate_names: texts,
  certificate_imported: plain,
  before_dns: plain,
  point: plain,
  delegated_to: plain,
  ready_to_point: plain,
  ready_at: time,
  records_when_ready: plain,
  desired_records: json,
  variables: json,
  record_change: plain,
  record_changed_at: time,
  retiring_records: json,
  proof: plain,
  proof_checked_at: time,
  proof_missing_since: time,
  dangling: plain,
  departure_checked_at: time,
  cleanup: plain,
  credential_id: plain,
  repaired_at: times,
  phase_started_at: time,
  unasked_ms: plain,
  fast_until: time,
  mismatch_count: plain,
  first_mismatch_at: time,
  live_at: time,
  flow_completed_at: time,
  archived_at: time,
} as const;
type WrittenColumn = keyof typeof WRITTEN;

/** Returns the assignments of the columns in which the rows differ. */
function assignments(before: ConnectionRow, after: ConnectionRow): Fragment[] {
  const columns = (Object.keys(WRITTEN) as WrittenColumn[]).filter(
    (column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]),
  );
  return columns.map((column) => {
    const write = WRITTEN[column] as (value: unknown) => Fragment;
    return sql.fragment`${sql.identifier([column])} = ${write(after[column])}`;
  });
}

const columnsOf = ({ now: _now, reason: _reason, alsoNotify: _notified, eventData: _data, ...columns }: Change) =>
  columns;

/** Returns the row as the change leaves it in a state. */
function rowAfter(row: ConnectionRow, to: State, change: Change, events: readonly EventType[]): ConnectionRow {
  const { now } = change;
  return {
    ...row,
    ...columnsOf(change),
    state: to,
    version: row.version + (to === row.state ? 0 : 1),
    ...(to === 'failed' ? { next_check_at: null } : {}),
    live_at: to === 'live' ? (row.live_at ?? now) : row.live_at,
    archived_at: to === 'archived' ? (row.archived_at ?? now) : row.archived_at,
    flow_completed_at: events.includes('domain.flow.completed') ? now : row.flow_completed_at,
  };
}

/**
 * Saves the row with its entry on the timeline and its events, in one statement. A check without changes, which is nearly
 * every check, writes only its times. Returns null if the row has changed since it was read.
 */
export async function updateRow(
  tx: Tx,
  row: ConnectionRow,
  to: State,
  change: Change,
  events: readonly EventType[],
): Promise<ConnectionRow | null> {
  const next = rowAfter(row, to, change, events);
  const changed = assignments(row, next);
  const entry = timelineEntry(row, next);
  const checks = sql.fragment`
    last_checked_at = ${timestampOrNull(next.last_checked_at)},
    next_check_at = ${timestampOrNull(next.next_check_at)},
    due_at = ${timestampOrNull(ENDED.has(to) ? null : (next.next_check_at ?? change.now))}`;
  if (to === row.state && changed.length === 0 && entry === null && events.length === 0) {
    const { rowCount } = await tx.query(sql.type(none)`
      UPDATE checks SET ${checks} FROM connections
      WHERE connection_id = ${row.id} AND connections.id = connection_id AND version = ${row.version}
    `);
    return rowCount === 0 ? null : next;
  }
  const proved = to === 'verified' && row.state !== to ? [sql.fragment`proved_at = ${sql.timestamp(change.now)}`] : [];
  const values = [
    sql.fragment`state = ${to}, version = ${next.version}, event_sequence = event_sequence + ${events.length}`,
    ...changed,
    ...proved,
  ];
  const parts = [
    sql.fragment`
      moved AS (
        UPDATE connections SET ${sql.join(values, sql.fragment`, `)}
        WHERE id = ${row.id} AND version = ${row.version}
        RETURNING id, tenant_id, application_id, environment, event_sequence
      ), noted AS (
        UPDATE checks SET ${checks} FROM moved WHERE connection_id = moved.id
      )`,
    ...(entry === null ? [] : [entryOfMoved(entry, change)]),
    ...(events.length === 0 ? [] : [eventsOfMoved(next, events, change)]),
  ];
  const { rowCount } = await tx.query(sql.type(none)`WITH ${sql.join(parts, sql.fragment`, `)} SELECT FROM moved`);
  return rowCount === 0 ? null : next;
}

/** Part of a statement whose part `moved` updates the row: the entry on the timeline. */
const entryOfMoved = ({ kind, from, to }: TimelineEntry, { now, reason }: Change): Fragment => sql.fragment`
  entry AS (
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state, reason)
    SELECT tenant_id, id, ${sql.timestamp(now)}, ${kind}, ${from}, ${to}, ${reason ?? null} FROM moved
  )`;
