import type { ConnectionError, SetupType, State } from '../../domain/connection/connection.ts';
import type { Proof } from '../../domain/connection/cname-proof.ts';
import { timelineEntry, type TimelineEntry } from '../../domain/connection/timeline.ts';
import type { Finding } from '../../domain/observation/finding.ts';
import type { EventType } from '../../domain/webhook/events.ts';
import { jsonOf, sql, timestampOrNull, type Fragment } from '../pool.ts';
import type { RowEvent } from '../webhook/events.ts';
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
export function assignments(before: ConnectionRow, after: ConnectionRow): Fragment[] {
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
export interface Outcome {
  next: ConnectionRow;
  entries: StoredEntry[];
  events: RowEvent[];
  provedAt: Date | null;
  now: Date;
}

export type StoredEntry = TimelineEntry & { at: Date; reason: string | null };

export function outcomeOf(row: ConnectionRow, steps: readonly RowStep[]): Outcome {
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
