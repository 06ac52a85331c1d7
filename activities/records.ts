import { subjectOf } from '../src/db/subject.ts';
import type { ConnectionRow } from '../src/db/connection-row.ts';
import type { Change } from '../src/db/transitions.ts';
import type { State } from '../src/domain/connection.ts';
import { isWriteRetryDue, isUntried, type WriteAccess } from '../src/domain/due-work.ts';
import { driftData } from '../src/domain/events.ts';
import type { ConnectionSnapshot } from '../src/domain/snapshot.ts';
import { judgePropagation, judgeWatch, mismatchesAfter, type Waited } from '../src/domain/judgement.ts';
import type { RecordsCheck } from '../src/domain/check.ts';
import { attempt, endLook } from './attempt.ts';
import { checkCertificate, nothingSeen } from './certificate-health.ts';
import type { Deps } from './deps.ts';
import { snapshotOf, writeAccessOf, workFactsOf } from './snapshot.ts';
import { readRow } from './rows.ts';
import { settle } from './settle.ts';

const SPREADING: ReadonlySet<State> = new Set<State>(['propagating', 'stalled']);
const SERVING: ReadonlySet<State> = new Set<State>(['live', 'drifted']);

export function recordActivities(deps: Deps) {
  type Judge = (look: RecordsCheck, now: number, means: WriteAccess) => Parameters<typeof settle>[3];

  async function lookAtRecords(
    id: string,
    touched: boolean,
    waiting: ReadonlySet<State>,
    judge: Judge,
  ): Promise<ConnectionSnapshot> {
    const { now, first, roundMs, ...time } = attempt();
    const row = await readRow(deps.pool, id);
    if (!waiting.has(row.state)) return snapshotOf(deps.pool, row, now);
    const look = await deps.checkerFor(row).records(subjectOf(row), now, time.signal);
    deps.noteLook('records', look.verdict);
    const certificate = waiting === SERVING ? await checkCertificate(deps, row, now, time.signal) : nothingSeen;
    const seen = {
      purpose: 'records' as const,
      look: { ...look, findings: [...look.findings, ...certificate.findings] },
      now,
      tookMs: time.tookMs(),
      touched: touched && first,
      random: deps.random(),
    };
    const means = await writeAccessOf(deps.pool, row);
    const settled = await settle(deps.pool, id, seen, withChange(judge(look, now, means), certificate.change));
    const moved = settled.row.state !== row.state;
    if (moved) return snapshotOf(deps.pool, settled.row, now);
    return endLook(deps, settled, waiting, look.sentence, { now, roundMs });
  }

  /** One look at the records a connection waits for. */
  const lookForRecords = (id: string, touched: boolean) => lookAtRecords(id, touched, SPREADING, judgeSpreading);

  /** One look at a connection that serves. */
  const watch = (id: string, touched: boolean) => lookAtRecords(id, touched, SERVING, judgeServing);

  return { lookForRecords, watch };
}

/** What else was learned goes into the same transaction; what the records themselves say has the last word. */
const withChange =
  (judge: Parameters<typeof settle>[3], more: Partial<Change>): Parameters<typeof settle>[3] =>
  (row, waited) => {
    const judgement = judge(row, waited);
    if (judgement === undefined) return undefined;
    const eventData = { ...more.eventData, ...judgement.change.eventData };
    return { ...judgement, change: { ...more, ...judgement.change, eventData } };
  };

const judgeSpreading =
  (look: RecordsCheck, _now: number, means: WriteAccess) => (row: ConnectionRow, waited: Waited) => {
    if (row.state !== 'propagating' && row.state !== 'stalled') return undefined;
    const facts = workFactsOf(row);
    const { moves, waitMs } = judgePropagation(row.state, look.verdict, waited);
    if (look.verdict !== 'match' && isUntried(facts, means))
      return { moves: ['credentialFound' as const], waitMs, change: { setup_type: 'automatic' as const } };
    if (moves.includes('propagationTimedOut'))
      return { moves, waitMs, change: { error_code: 'propagation_timeout' as const } };
    const retryDue = look.verdict !== 'match' && isWriteRetryDue(facts);
    return { moves, waitMs, change: { error_code: retryDue ? ('dns_write_failed' as const) : errorOf(look) } };
  };

const judgeServing =
  (look: RecordsCheck, now: number) =>
  (row: ConnectionRow, { fast }: Waited) => {
    if (row.state !== 'live' && row.state !== 'drifted') return undefined;
    const mismatches = mismatchesAfter(
      row.mismatch_count,
      look.verdict,
      now - (row.first_mismatch_at?.getTime() ?? now),
    );
    const judgement = judgeWatch(row.state, look.verdict, mismatches, now - (row.live_at?.getTime() ?? now), fast);
    const change: Partial<Change> = {
      error_code: errorOf(look),
      mismatch_count: mismatches,
      first_mismatch_at: mismatches === 0 ? null : (row.first_mismatch_at ?? new Date(now)),
    };
    if (judgement.moves.includes('recordsDrifted')) change.eventData = driftData(look.records);
    return { ...judgement, change };
  };

/** The look's gravest finding that is also a reason the row can carry. */
function errorOf(look: RecordsCheck): ConnectionRow['error_code'] {
  if (look.verdict === 'match') return null;
  if (look.verdict === 'unknown') return 'nameserver_unreachable';
  const codes = new Set(look.findings.map((finding) => finding.code));
  return (['proxied', 'stale_aaaa', 'nameserver_changed'] as const).find((code) => codes.has(code)) ?? null;
}
