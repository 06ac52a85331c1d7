import { ENDED, PROVED } from '../../domain/connection/state-sets.ts';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { comesToRest } from '../../domain/connection/batch.ts';
import {
  DRIFT_KEEPS_CLAIM_FOR,
  move,
  MOVES,
  type ConnectionError,
  type SetupType,
  type State,
  type Trigger,
} from '../../domain/connection/connection.ts';
import { lostClaim, takenReason } from '../../domain/connection/claim-loss.ts';
import type { Proof } from '../../domain/connection/cname-proof.ts';
import { eventsOf, type EventType } from '../../domain/webhook/events.ts';
import type { Finding } from '../../domain/observation/finding.ts';
import { timelineEntry } from '../../domain/connection/timeline.ts';
import { settleBatchRows } from './batches.ts';
import { isTakeable } from './claims.ts';
import { isTargetApproved } from './cname-targets.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';
import { recordEvent, recordEvents } from '../webhook/events.ts';
import { jsonOf, none, sql, timestampOrNull, type Tx } from '../pool.ts';
import { inStates } from '../state-list.ts';

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

export type Moved =
  | { outcome: 'moved'; row: ConnectionRow }
  /** Another transaction changed the row first. The caller must reload it and decide again. */
  | { outcome: 'stale' }
  /** Another connection has proved the hostname. */
  | { outcome: 'claim_held' };

/** The transition table has no such entry: a defect of the caller, never a race, because the version matched. */
export class IllegalMove extends Error {
  constructor(state: State, trigger: Trigger) {
    super(`A connection in state ${state} has no move "${trigger}".`);
    this.name = 'IllegalMove';
  }
}

/**
 * Changes the state of a connection, the only way to do so, unless its row has changed since it was read. A claim is
 * taken in a savepoint, because losing that race is a result and not an error.
 */
export async function transition(tx: Tx, row: ConnectionRow, trigger: Trigger, change: Change): Promise<Moved> {
  const to = move(row.state, trigger);
  if (to === undefined) throw new IllegalMove(row.state, trigger);
  const fresh = samePhase(row.state, to)
    ? {}
    : { phase_started_at: change.now, unasked_ms: 0, mismatch_count: 0, first_mismatch_at: null };
  // The check's waiting time belongs to the phase that it ends, and not to the next one.
  const update = (inner: Tx) => updateRow(inner, row, to, { ...change, ...fresh });
  const takesClaim = row.serve && PROVED.has(to) && !PROVED.has(row.state);
  try {
    const moved = await (takesClaim
      ? tx.transaction((inner) => takeClaim(inner, { ...row, proof: change.proof ?? row.proof }, change.now, update))
      : update(tx));
    if (moved === null) return { outcome: 'stale' };
    await recordOnTimeline(tx, row, moved, change);
    const types = [...eventsOf(trigger, row.flow_completed_at !== null), ...(change.alsoNotify ?? [])];
    for (const type of types) await recordEvent(tx, moved, type, change);
    if (comesToRest(row.state, to)) await settleBatchRows(tx, moved.id, change.now);
    return { outcome: 'moved', row: moved };
  } catch (error) {
    if (error instanceof StaleRow) return { outcome: 'stale' };
    if (
      takesClaim &&
      error instanceof UniqueIntegrityConstraintViolationError &&
      error.constraint === 'connections_claim'
    )
      return { outcome: 'claim_held' };
    throw error;
  }
}

/** Makes the first transition of many new rows in one statement, like `transition` for each. */
export async function acceptCreated(
  tx: Tx,
  created: readonly ConnectionRow[],
  now: Date,
): Promise<readonly ConnectionRow[]> {
  if (created.length === 0) return [];
  const to = MOVES.created.accepted;
  const ids = created.map(({ id }) => id);
  const accepted = await tx.any(sql.type(ConnectionRow)`
    WITH accepted AS (
      UPDATE connections SET state = ${to}, version = version + 1, phase_started_at = ${sql.timestamp(now)}
      WHERE id = ANY(${sql.array(ids, 'uuid')}) AND state = 'created'
      RETURNING ${connectionColumns}
    ), noted AS (
      INSERT INTO checks (connection_id, tenant_id, due_at) SELECT id, tenant_id, ${sql.timestamp(now)} FROM accepted
    )
    SELECT * FROM accepted
  `);
  await tx.query(sql.type(none)`
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state)
    SELECT tenant_id, id, ${sql.timestamp(now)}, 'move', 'created', ${to} FROM connections
    WHERE id = ANY(${sql.array(ids, 'uuid')})
  `);
  for (const type of eventsOf('accepted', false)) await recordEvents(tx, accepted, type, { now });
  return accepted;
}

class StaleRow extends Error {}

/**
 * Takes the claim in the same transaction from a connection that drifted long ago, whose domain has another owner, or
 * that only its CNAME proves. A CNAME takes nothing from others, and proves nothing once its target is revoked: a racing
 * revocation wins.
 */
async function takeClaim(
  tx: Tx,
  row: ConnectionRow,
  now: Date,
  update: (tx: Tx) => Promise<ConnectionRow | null>,
): Promise<ConnectionRow> {
  if (row.proof === 'txt') await endWeakerClaim(tx, row, now);
  else if (!(await isTargetApproved(tx, row.tenant_id, row.proof_target ?? '', { lock: true }))) throw new StaleRow();
  const moved = await update(tx);
  if (moved === null) throw new StaleRow(); // the other connection then keeps its claim
  return moved;
}

async function endWeakerClaim(tx: Tx, { id, hostname }: ConnectionRow, now: Date): Promise<void> {
  const driftedSince = new Date(now.getTime() - DRIFT_KEEPS_CLAIM_FOR);
  const loser = await tx.maybeOne(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE hostname = ${hostname} AND id <> ${id} AND serve AND state ${inStates(PROVED)}
      AND (proof = 'cname_target' OR ${isTakeable(sql.timestamp(driftedSince))})
    FOR UPDATE
  `);
  if (loser === null) return;
  const fix = 'If the domain is still yours, verify this connection again once the other one is archived.';
  const reason = takenReason(loser, driftedSince);
  await transition(tx, loser, 'claimLost', { now, ...lostClaim(hostname, reason, fix) });
}

/** Saves changes without a transition. A new reason still adds to the timeline. */
export async function remain(tx: Tx, row: ConnectionRow, change: Change): Promise<Moved> {
  const kept = await updateRow(tx, row, row.state, change);
  if (kept === null) return { outcome: 'stale' };
  await recordOnTimeline(tx, row, kept, change);
  for (const type of change.alsoNotify ?? []) await recordEvent(tx, kept, type, change);
  return { outcome: 'moved', row: kept };
}

/** Columns of the row that change besides its state. */
const WRITTEN = [
  'error_code',
  'findings',
  'setup_type',
  'provider',
  'nameservers',
  'certificate_status',
  'certificate_not_before',
  'certificate_not_after',
  'certificate_ca',
  'certificate_checked_at',
  'certificate_source',
  'certificate_serial',
  'certificate_names',
  'certificate_imported',
  'before_dns',
  'point',
  'delegated_to',
  'ready_to_point',
  'ready_at',
  'records_when_ready',
  'desired_records',
  'variables',
  'record_change',
  'record_changed_at',
  'retiring_records',
  'proof',
  'proof_checked_at',
  'proof_missing_since',
  'dangling',
  'departure_checked_at',
  'cleanup',
  'credential_id',
  'repaired_at',
  'phase_started_at',
  'unasked_ms',
  'fast_until',
  'mismatch_count',
  'first_mismatch_at',
] as const satisfies readonly (keyof ConnectionRow)[];

const written = (row: ConnectionRow): string => JSON.stringify(WRITTEN.map((column) => row[column]));

/** Saves the row. A check without changes, which is nearly every check, writes only its times. */
async function updateRow(tx: Tx, row: ConnectionRow, to: State, change: Change): Promise<ConnectionRow | null> {
  const next = { ...row, ...change, ...(to === 'failed' ? { next_check_at: null } : {}) };
  const checks = sql.fragment`
    last_checked_at = ${timestampOrNull(next.last_checked_at)},
    next_check_at = ${timestampOrNull(next.next_check_at)},
    due_at = ${timestampOrNull(ENDED.has(to) ? null : (next.next_check_at ?? change.now))}`;
  const { last_checked_at, next_check_at } = next;
  if (to === row.state && written(next) === written(row)) {
    const { rowCount } = await tx.query(sql.type(none)`
      UPDATE checks SET ${checks} FROM connections
      WHERE connection_id = ${row.id} AND connections.id = connection_id AND version = ${row.version}
    `);
    return rowCount === 0 ? null : { ...row, last_checked_at, next_check_at };
  }
  const moved = await tx.maybeOne(sql.type(ConnectionRow)`
    WITH moved AS (
      UPDATE connections SET
        state = ${to},
        version = version + ${to === row.state ? 0 : 1},
        error_code = ${next.error_code},
        findings = ${sql.jsonb(jsonOf(next.findings))},
        setup_type = ${next.setup_type},
        provider = ${next.provider},
        nameservers = ${next.nameservers === null ? null : sql.array(next.nameservers, 'text')},
        certificate_status = ${next.certificate_status},
        certificate_not_before = ${timestampOrNull(next.certificate_not_before)},
        certificate_not_after = ${timestampOrNull(next.certificate_not_after)},
        certificate_ca = ${next.certificate_ca},
        certificate_checked_at = ${timestampOrNull(next.certificate_checked_at)},
        certificate_source = ${next.certificate_source},
        certificate_serial = ${next.certificate_serial},
        certificate_names = ${next.certificate_names === null ? null : sql.array(next.certificate_names, 'text')},
        certificate_imported = ${next.certificate_imported},
        before_dns = ${next.before_dns},
        point = ${next.point},
        delegated_to = ${next.delegated_to},
        ready_to_point = ${next.ready_to_point},
        ready_at = ${timestampOrNull(next.ready_at)},
        records_when_ready = ${next.records_when_ready},
        desired_records = ${sql.jsonb(jsonOf(next.desired_records))},
        variables = ${sql.jsonb(jsonOf(next.variables))},
        record_change = ${next.record_change},
        record_changed_at = ${timestampOrNull(next.record_changed_at)},
        retiring_records = ${sql.jsonb(jsonOf(next.retiring_records))},
        proof = ${next.proof},
        proof_checked_at = ${timestampOrNull(next.proof_checked_at)},
        proof_missing_since = ${timestampOrNull(next.proof_missing_since)},
        dangling = ${next.dangling},
        departure_checked_at = ${timestampOrNull(next.departure_checked_at)},
        cleanup = ${next.cleanup},
        credential_id = ${next.credential_id},
        repaired_at = ${timestampsOrNull(next.repaired_at)},
        phase_started_at = ${timestampOrNull(next.phase_started_at)},
        unasked_ms = ${next.unasked_ms},
        fast_until = ${timestampOrNull(next.fast_until)},
        mismatch_count = ${next.mismatch_count},
        first_mismatch_at = ${timestampOrNull(next.first_mismatch_at)},
        proved_at = ${to === 'verified' && row.state !== to ? sql.timestamp(change.now) : sql.fragment`proved_at`},
        live_at = ${timestampOrNull(to === 'live' ? (row.live_at ?? change.now) : row.live_at)},
        archived_at = ${timestampOrNull(to === 'archived' ? (row.archived_at ?? change.now) : null)}
      WHERE id = ${row.id} AND version = ${row.version}
      RETURNING ${connectionColumns}
    ), noted AS (
      UPDATE checks SET ${checks} FROM moved WHERE connection_id = moved.id
    )
    SELECT * FROM moved
  `);
  return moved && { ...moved, last_checked_at, next_check_at };
}

const timestampsOrNull = (dates: readonly Date[] | null) =>
  dates &&
  sql.array(
    dates.map((at) => at.toISOString()),
    'timestamptz',
  );

/** Ownership checks alternate between two states; a check must not restart the deadline. */
const PHASE_OF: Partial<Record<State, string>> = {
  pending_ownership: 'ownership',
  verifying: 'ownership',
  propagating: 'propagation',
  stalled: 'propagation',
};
const samePhase = (from: State, to: State): boolean => (PHASE_OF[from] ?? from) === (PHASE_OF[to] ?? to);

async function recordOnTimeline(tx: Tx, before: ConnectionRow, after: ConnectionRow, change: Change): Promise<void> {
  const entry = timelineEntry(before, after);
  if (entry === null) return;
  await tx.query(sql.type(none)`
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state, reason)
    VALUES (${after.tenant_id}, ${after.id}, ${sql.timestamp(change.now)}, ${entry.kind}, ${entry.from}, ${entry.to},
            ${change.reason ?? null})
  `);
}
