import { z } from 'zod';
import { ENDED } from '../../domain/connection/state-sets.ts';
import type { ConnectionError, SetupType, State } from '../../domain/connection/connection.ts';
import type { Proof } from '../../domain/connection/cname-proof.ts';
import { timelineEntry, type TimelineEntry } from '../../domain/connection/timeline.ts';
import type { Finding } from '../../domain/observation/finding.ts';
import type { EventType } from '../../domain/webhook/events.ts';
import { observationOfMoved, type Observation } from '../observation/observations.ts';
import { jsonOf, sql, timestampOrNull, type Fragment, type Queryable } from '../pool.ts';
import { eventsOfMoved, type RowEvent } from '../webhook/events.ts';
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

/** One of the changes that a statement saves: the states before and after it, its columns, and its events. */
export interface RowStep {
  from: State;
  to: State;
  change: Change;
  events: readonly EventType[];
}

/** Returns the row as a step leaves it. */
function rowAfterStep(row: ConnectionRow, { from, to, change, events }: RowStep): ConnectionRow {
  const { now } = change;
  return {
    ...row,
    ...columnsOf(change),
    state: to,
    version: row.version + (to === from ? 0 : 1),
    ...(to === 'failed' ? { next_check_at: null } : {}),
    live_at: to === 'live' ? (row.live_at ?? now) : row.live_at,
    archived_at: to === 'archived' ? (row.archived_at ?? now) : row.archived_at,
    flow_completed_at: events.includes('domain.flow.completed') ? now : row.flow_completed_at,
  };
}

/** The row after several steps, and what they add: entries on the timeline and events, each as of its own step. */
interface Outcome {
  next: ConnectionRow;
  entries: StoredEntry[];
  events: RowEvent[];
  provedAt: Date | null;
  now: Date;
}

type StoredEntry = TimelineEntry & { at: Date; reason: string | null };

function outcomeOf(row: ConnectionRow, steps: readonly RowStep[]): Outcome {
  let [next, provedAt, now] = [row, null as Date | null, new Date(0)];
  const entries: StoredEntry[] = [];
  const events: RowEvent[] = [];
  for (const step of steps) {
    const before = { ...next, state: step.from };
    next = rowAfterStep(next, step);
    now = step.change.now;
    const entry = timelineEntry(before, next);
    if (entry !== null) entries.push({ ...entry, at: now, reason: step.change.reason ?? null });
    for (const type of step.events) events.push({ type, row: next, at: now, data: step.change.eventData ?? {} });
    if (step.to === 'verified' && step.from !== step.to) provedAt = now;
  }
  return { next, entries, events, provedAt, now };
}

/** Returns the row as the steps would leave it, without saving anything. */
export const rowAfterSteps = (row: ConnectionRow, steps: readonly RowStep[]): ConnectionRow =>
  outcomeOf(row, steps).next;

export interface Saving {
  steps: readonly RowStep[];
  /** The check that caused the steps. */
  observation?: Observation | undefined;
  /** `locked`: the caller holds the row's lock. `unchanged`: it does not, and the row must be as it was read. */
  guard: 'locked' | 'unchanged';
}

/**
 * Saves the row with its check, its entries on the timeline and its events, in one statement. A check without changes,
 * which is nearly every check, writes only its times. Returns null if the row has changed since it was read.
 */
export async function updateRow(
  db: Queryable,
  row: ConnectionRow,
  { steps, observation, guard }: Saving,
): Promise<ConnectionRow | null> {
  const outcome = outcomeOf(row, steps);
  const { next, entries, events, provedAt, now } = outcome;
  const changed = assignments(row, next);
  const checks = sql.fragment`
    last_checked_at = ${timestampOrNull(next.last_checked_at)},
    next_check_at = ${timestampOrNull(next.next_check_at)},
    due_at = ${timestampOrNull(ENDED.has(next.state) ? null : (next.next_check_at ?? now))}`;
  const isStill = next.version === row.version && changed.length === 0 && entries.length === 0 && events.length === 0;
  const moved = isStill ? timesOf(row, checks, guard) : rowOf(row, outcome, { changed, checks, guard, provedAt });
  const parts = [
    moved,
    ...(entries.length === 0 ? [] : [entriesOfMoved(entries)]),
    ...(events.length === 0 ? [] : [eventsOfMoved(events)]),
    ...(observation === undefined ? [] : [observationOfMoved(row.id, observation)]),
  ];
  const revision = await db.maybeOneFirst(sql.type(Revision)`
    WITH ${sql.join(parts, sql.fragment`, `)} SELECT revision FROM moved
  `);
  return revision === null ? null : { ...next, revision };
}

const Revision = z.object({ revision: z.string() });

type Guard = Saving['guard'];

/** Whether the row is as it was read, or for a locked row, whether the caller read it under the lock. */
const isCurrent = (row: ConnectionRow, guard: Guard): Fragment =>
  guard === 'locked'
    ? sql.fragment`connections.version = ${row.version}`
    : sql.fragment`connections.xmin::text = ${connectionRevision(row)}`;

/** Part of a statement that saves only the times of a check. */
const timesOf = (row: ConnectionRow, checks: Fragment, guard: Guard): Fragment => sql.fragment`
  moved AS (
    UPDATE checks SET ${checks} FROM connections
    WHERE connection_id = ${row.id} AND connections.id = connection_id AND ${isCurrent(row, guard)}
      AND ${guard === 'locked' ? sql.fragment`true` : sql.fragment`checks.xmin::text = ${checksRevision(row)}`}
    RETURNING connections.id, connections.tenant_id, connections.xmin::text || ' ' || checks.xmin::text AS revision
  )`;

/** Part of a statement that saves the row and the times of the check. */
function rowOf(
  row: ConnectionRow,
  { next, events }: Outcome,
  { changed, checks, guard, provedAt }: { changed: Fragment[]; checks: Fragment; guard: Guard; provedAt: Date | null },
): Fragment {
  const values = [
    sql.fragment`state = ${next.state}, version = ${next.version}, event_sequence = event_sequence + ${events.length}`,
    ...changed,
    ...(provedAt === null ? [] : [sql.fragment`proved_at = ${sql.timestamp(provedAt)}`]),
  ];
  const isChecked =
    guard === 'locked'
      ? sql.fragment`true`
      : sql.fragment`(SELECT checks.xmin::text FROM checks WHERE connection_id = ${row.id}) = ${checksRevision(row)}`;
  return sql.fragment`
    moved AS (
      UPDATE connections SET ${sql.join(values, sql.fragment`, `)}
      WHERE id = ${row.id} AND ${isCurrent(row, guard)} AND ${isChecked}
      RETURNING id, tenant_id, application_id, environment, event_sequence,
        connections.xmin::text || ' ' || connections.xmin::text AS revision
    ), noted AS (
      UPDATE checks SET ${checks} FROM moved WHERE connection_id = moved.id
    )`;
}

const connectionRevision = ({ revision }: ConnectionRow): string => revision.split(' ')[0] ?? '';
const checksRevision = ({ revision }: ConnectionRow): string => revision.split(' ')[1] ?? '';

/** Part of a statement whose part `moved` updates the row: the entries on the timeline, in order. */
const entriesOfMoved = (entries: readonly StoredEntry[]): Fragment => sql.fragment`
  entry AS (
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state, reason)
    SELECT moved.tenant_id, moved.id, given.at, given.kind, given.earlier, given.later, given.reason
    FROM moved, jsonb_to_recordset(${sql.jsonb(
      jsonOf(
        entries.map(({ kind, from, to, at, reason }, place) => ({ place, at, kind, earlier: from, later: to, reason })),
      ),
    )}) AS given (place int, at timestamptz, kind text, earlier text, later text, reason text)
    ORDER BY given.place
  )`;
