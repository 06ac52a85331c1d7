import { comesToRest } from '../../domain/connection/batch.ts';
import type { State, Trigger } from '../../domain/connection/connection.ts';
import { recordObservation, type Observation } from '../observation/observations.ts';
import type { Pool, Queryable, Tx } from '../pool.ts';
import { settleBatchRows } from './batches.ts';
import type { ConnectionRow } from './connection-row.ts';
import { isClaimHeld, remain, stepOf, takesClaim, transition, type Change } from './transitions.ts';
import { rowAfterSteps, type RowStep } from './row-change.ts';
import { movedRow, withRow } from './rows.ts';
import { updateRow, type Saving } from './update-row.ts';

/** A transition, or without a trigger a change in the same state. */
export interface Move {
  trigger: Trigger | null;
  change: Change;
  /** The state in which the transition begins, if it is not saved. Default: the state of the row. */
  from?: State;
}

/** Changes that a step of a connection's workflow saves: transitions in their order, and the check that caused them. */
export interface Decision {
  moves: readonly Move[];
  observation?: Observation;
  /** Replaces the moves if another connection has proved the hostname. */
  ifClaimHeld?: Move;
}

/** Decides about a row; undefined if nothing is to be saved. Runs again for the row that another process has changed. */
export type Decide = (row: ConnectionRow) => Decision | undefined;

/**
 * Saves a decision about a row that was read a moment ago. If it is still the same, one statement saves everything, and
 * no lock is held before. Otherwise, and where a claim must be taken from another connection, the decision is made again
 * for the locked row.
 */
export async function save(pool: Pool, row: ConnectionRow, decide: Decide): Promise<ConnectionRow> {
  const decision = decide(row);
  if (decision === undefined) return row;
  return (
    (await saveUnlocked(pool, row, decision)) ??
    withRow(pool, row.id, (tx, fresh) => saveLocked(tx, fresh, decide(fresh)))
  );
}

/** Returns the row as the moves would leave it. */
export const rowAfterMoves = (row: ConnectionRow, moves: readonly Move[]): ConnectionRow =>
  rowAfterSteps(row, stepsOf(row, moves));

function stepsOf(row: ConnectionRow, moves: readonly Move[]): RowStep[] {
  let at = row;
  return moves.map(({ trigger, change, from = at.state }) => {
    const step = stepOf({ ...at, state: from }, trigger, change);
    at = rowAfterSteps(at, [step]);
    return step;
  });
}

/** Saves the decision in one statement; null if the row has changed, or its claim or a batch needs more than that. */
async function saveUnlocked(
  pool: Pool,
  row: ConnectionRow,
  { moves, observation }: Decision,
): Promise<ConnectionRow | null> {
  const steps = stepsOf(row, moves);
  const claiming = steps.find((step) => takesClaim(row, step));
  if (claiming !== undefined && (claiming.change.proof ?? row.proof) !== 'txt') return null;
  const update = (db: Queryable, guard: Saving['guard']) => updateRow(db, row, { steps, observation, guard });
  const resting = steps.find(({ from, to }) => comesToRest(from, to));
  try {
    if (resting === undefined) return await update(pool, 'unchanged');
    if (row.batch_id === null) return await update(pool, 'unawaited');
    return await pool.transaction(async (tx) => {
      const saved = await update(tx, 'unchanged');
      if (saved !== null) await settleBatchRows(tx, row.id, resting.change.now);
      return saved;
    });
  } catch (error) {
    if (claiming !== undefined && isClaimHeld(error)) return null;
    throw error;
  }
}

async function saveLocked(tx: Tx, locked: ConnectionRow, decision: Decision | undefined): Promise<ConnectionRow> {
  if (decision === undefined) return locked;
  const { moves, observation, ifClaimHeld } = decision;
  if (observation !== undefined)
    await recordObservation(tx, locked, observation.purpose, observation.check, observation.now);
  let row = locked;
  for (const { trigger, change, from = row.state } of moves) {
    const at = { ...row, state: from };
    const result = await (trigger === null ? remain(tx, at, change) : transition(tx, at, trigger, change));
    if (result.outcome === 'claim_held' && ifClaimHeld !== undefined)
      return saveLocked(tx, locked, { moves: [ifClaimHeld] });
    row = movedRow(result);
  }
  return row;
}
