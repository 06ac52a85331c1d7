import { getConnection, lockConnection } from '../db/connection/connections.ts';
import { remain, transition, type Change } from '../db/connection/transitions.ts';
import { enqueue } from '../db/outbox.ts';
import type { Tx } from '../db/pool.ts';
import { decideCutover, endCutover, getCutover, type CutoverRow } from '../db/zone/cutovers.ts';
import { move } from '../domain/connection/connection.ts';
import { isInProgress, revertedFinding, type CutoverOutcome } from '../domain/connection/cutover.ts';
import { PROVED } from '../domain/connection/state-sets.ts';
import { NotYet, type At } from '../domain/step.ts';
import { removeWritten } from '../provisioning/remove.ts';
import { setTtls, type Cutting } from './steps.ts';

/** Why a workflow ends a cutover whose end no step has decided. */
export interface Unfinished {
  outcome: 'cancelled' | 'failed';
  reason: string;
}

/** Ends a cutover. Unless it is done, the old records are restored first. Returns how it ended. */
export async function finishCutover(
  cutting: Cutting,
  id: string,
  unfinished: Unfinished,
  at: At,
): Promise<CutoverOutcome | null> {
  const { pool } = cutting.providerAccess;
  const known = await getCutover(pool, id);
  if (known === null || !isInProgress(known.state)) return known?.outcome ?? null;
  const cutover = await decideCutover(pool, id, unfinished.outcome, unfinished.reason);
  if (cutover?.outcome == null) return null;
  const problem = cutover.outcome === 'done' ? null : await restore(cutting, cutover, at);
  const ended =
    problem === null
      ? { outcome: cutover.outcome, reason: cutover.reason }
      : {
          outcome: 'failed' as const,
          reason: `${cutover.reason ?? ''} The old records could not be restored: ${problem}`,
        };
  await pool.transaction((tx) => settle(tx, cutover, { ...ended, now: new Date(at.now) }));
  return ended.outcome;
}

/** Restores the records and their TTLs. Returns why it is impossible; null if the zone is as it was. */
async function restore({ providerAccess }: Cutting, cutover: CutoverRow, { now, signal }: At): Promise<string | null> {
  const row = await getConnection(providerAccess.pool, cutover.connection_id);
  // The archive restores the records of a connection that has lost its hostname.
  if (row === null || !PROVED.has(row.state)) return null;
  if (cutover.moved_at !== null) {
    const removed = await removeWritten(providerAccess, row.id, { now: new Date(now), signal });
    if (removed.outcome === 'later') throw new NotYet(removed.sentence, Math.min(removed.retryAfterMs, RETRY_MS));
    if (removed.outcome === 'impossible') return removed.sentence;
  }
  if (cutover.lowered_at === null) return null;
  return setTtls(providerAccess, row, cutover.plan.removes, signal);
}

/** Longest wait between two attempts to restore the records: visitors see a failing site meanwhile. */
const RETRY_MS = 5_000;

async function settle(
  tx: Tx,
  cutover: CutoverRow,
  end: { outcome: CutoverOutcome; reason: string | null; now: Date },
): Promise<void> {
  await endCutover(tx, cutover.id, end);
  const row = await lockConnection(tx, cutover.connection_id);
  if (row === null || !PROVED.has(row.state)) return;
  await enqueue(tx, row, 'touch');
  if (end.outcome === 'done') await remain(tx, row, { now: end.now, point: 'auto' });
  if (end.outcome === 'done' || cutover.moved_at === null) return;
  const reason = end.reason ?? '';
  const isReverted = end.outcome === 'reverted';
  const change: Change = {
    now: end.now,
    reason,
    before_dns: true,
    point: 'hold',
    ready_to_point: true,
    records_when_ready: null,
    error_code: null,
    findings: isReverted ? [revertedFinding(row.hostname, reason)] : [],
    ...(isReverted
      ? { alsoNotify: ['domain.cutover_reverted'], eventData: { cutover: { id: cutover.id, reason } } }
      : {}),
  };
  await (move(row.state, 'cutoverReverted') === undefined
    ? remain(tx, row, change)
    : transition(tx, row, 'cutoverReverted', change));
}
