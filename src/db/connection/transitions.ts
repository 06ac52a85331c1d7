import { PROVED } from '../../domain/connection/state-sets.ts';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { comesToRest } from '../../domain/connection/batch.ts';
import { DRIFT_KEEPS_CLAIM_FOR, move, type State, type Trigger } from '../../domain/connection/connection.ts';
import { lostClaim, takenReason } from '../../domain/connection/claim-loss.ts';
import { eventsOf } from '../../domain/webhook/events.ts';
import { settleBatchRows } from './batches.ts';
import { isTakeable } from './claims.ts';
import { isTargetApproved } from './cname-targets.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';
import type { Change, RowStep } from './row-change.ts';
import { updateRow } from './update-row.ts';
import { sql, type Tx } from '../pool.ts';
import { inStates } from '../state-list.ts';

export type { Change };

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

/** Returns the step of a transition, or without a trigger, of a change in the same state. */
export function stepOf(
  row: Pick<ConnectionRow, 'state' | 'flow_completed_at'>,
  trigger: Trigger | null,
  change: Change,
): RowStep {
  const from = row.state;
  const alsoNotify = change.alsoNotify ?? [];
  if (trigger === null) return { from, to: from, change, events: alsoNotify };
  const to = move(from, trigger);
  if (to === undefined) throw new IllegalMove(from, trigger);
  const fresh = samePhase(from, to)
    ? {}
    : { phase_started_at: change.now, unasked_ms: 0, mismatch_count: 0, first_mismatch_at: null };
  // The check's waiting time belongs to the phase that it ends, and not to the next one.
  const events = [...eventsOf(trigger, row.flow_completed_at !== null), ...alsoNotify];
  return { from, to, change: { ...change, ...fresh }, events };
}

/** Whether the step takes the claim of its hostname. */
export const takesClaim = ({ serve }: ConnectionRow, { from, to }: RowStep): boolean =>
  serve && PROVED.has(to) && !PROVED.has(from);

/**
 * Changes the state of a connection unless its row has changed since it was read. A claim is taken in a savepoint,
 * because losing that race is a result and not an error.
 */
export async function transition(tx: Tx, row: ConnectionRow, trigger: Trigger, change: Change): Promise<Moved> {
  const step = stepOf(row, trigger, change);
  const update = (inner: Tx) => updateRow(inner, row, { steps: [step], guard: 'locked' });
  const isClaim = takesClaim(row, step);
  try {
    const moved = await (isClaim
      ? tx.transaction((inner) => takeClaim(inner, { ...row, proof: change.proof ?? row.proof }, change.now, update))
      : update(tx));
    if (moved === null) return { outcome: 'stale' };
    if (comesToRest(row.state, step.to)) await settleBatchRows(tx, moved.id, change.now);
    return { outcome: 'moved', row: moved };
  } catch (error) {
    if (error instanceof StaleRow) return { outcome: 'stale' };
    if (isClaim && isClaimHeld(error)) return { outcome: 'claim_held' };
    throw error;
  }
}

/** Whether a statement failed because another connection has proved the hostname. */
export const isClaimHeld = (error: unknown): boolean =>
  error instanceof UniqueIntegrityConstraintViolationError && error.constraint === 'connections_claim';

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
  const kept = await updateRow(tx, row, { steps: [stepOf(row, null, change)], guard: 'locked' });
  return kept === null ? { outcome: 'stale' } : { outcome: 'moved', row: kept };
}

/** Ownership checks alternate between two states; a check must not restart the deadline. */
const PHASE_OF: Partial<Record<State, string>> = {
  pending_ownership: 'ownership',
  verifying: 'ownership',
  propagating: 'propagation',
  stalled: 'propagation',
};
const samePhase = (from: State, to: State): boolean => (PHASE_OF[from] ?? from) === (PHASE_OF[to] ?? to);
