import type { ChallengeCheck, Check, RecordsCheck } from '../observation/check.ts';
import type { ConnectionError, SetupType, State, Trigger } from './connection.ts';
import type { Proof } from './cname-proof.ts';
import { isUntried, isWriteRetryDue, type WriteAccess } from './due-work.ts';
import { timeAt, type TimeFacts, type Waited } from './elapsed.ts';
import { errorOf, errorOfUnknown, keepRefusal } from './error-of.ts';
import { driftData } from '../webhook/events.ts';
import type { Finding } from '../observation/finding.ts';
import { judgeOwnership, judgePropagation, judgeWatch, mismatchesAfter, type Judgement } from './judgement.ts';
import { afterChangeChecked, isChangePending, type ChangeFacts } from './record-change.ts';
import { whileReady, type ReadyFacts } from './ready.ts';
import { atSpeed, jittered, untilNextCheck, USUAL_PROOF, WHILE_PARKED, whileSilent, type Pace } from './schedule.ts';
import { AWAITS_PROOF, AWAITS_RECORDS, SERVING } from './state-sets.ts';

export interface CheckedRow extends TimeFacts, ReadyFacts, ChangeFacts {
  state: State;
  setup_type: SetupType;
  error_code: ConnectionError | null;
  credential_id: string | null;
  mismatch_count: number;
  first_mismatch_at: Date | null;
  live_at: Date | null;
  serve: boolean;
  proof_target: string | null;
}

/** Time of the check by Temporal's clock, and its duration. */
export interface Moment {
  now: number;
  tookMs: number;
  /** Whether a touch caused the check. */
  touched: boolean;
  /** A number in [0, 1) that spreads the checks over time. */
  random: number;
}

/** Changes of the row. Absent fields stay as they are. */
export interface RowChange
  extends Partial<TimeFacts>, Partial<ChangeFacts>, Partial<Pick<ReadyFacts, 'records_when_ready'>> {
  now: Date;
  reason: string;
  error_code: ConnectionError | null;
  findings: Finding[];
  next_check_at: Date;
  setup_type?: SetupType;
  mismatch_count?: number;
  first_mismatch_at?: Date | null;
  eventData?: Record<string, unknown>;
}

/** Consequence of a check: transitions in order, changes of the row, and the time until the next check. */
export interface Consequence {
  moves: Trigger[];
  change: RowChange;
  waitMs: number;
}

type Decision = Judgement &
  Partial<
    Pick<RowChange, 'setup_type' | 'mismatch_count' | 'first_mismatch_at' | 'eventData' | 'records_when_ready'> &
      ChangeFacts
  > & {
    error: ConnectionError | null;
  };

/** Decides what an ownership check changes. Returns undefined if the row no longer waits for its proof. */
export function afterChallenge(
  row: CheckedRow,
  check: ChallengeCheck,
  moment: Moment,
  pace: Pace,
): Consequence | undefined {
  if (!AWAITS_PROOF.has(row.state)) return undefined;
  return conclude(row, check, moment, (waited) => {
    const { moves, waitMs } = judgeOwnership(check.verdict, waited, pace);
    return {
      moves: row.state === 'verifying' ? moves : ['checkStarted', ...moves],
      waitMs,
      error: challengeError(row, check, moves, waited),
    };
  });
}

/** A challenge that is merely missing is no error while the customer still has the usual time to publish it. */
function challengeError(row: CheckedRow, { verdict, findings }: ChallengeCheck, moves: Trigger[], waited: Waited) {
  if (moves.includes('ownershipTimedOut')) return 'ownership_timeout';
  if (verdict === 'match') return null;
  if (isRetryDue(row)) return 'dns_write_failed';
  if (verdict === 'unknown') return errorOfUnknown(findings);
  return isOnlyMissing(findings) && waited.sinceTouchMs < USUAL_PROOF ? null : 'ownership_not_found';
}

/** Decides what a check of the records changes. Returns undefined if the row no longer waits for its records. */
export function afterPropagation(
  row: CheckedRow,
  check: RecordsCheck,
  moment: Moment,
  access: WriteAccess,
  pace: Pace,
): Consequence | undefined {
  const { state } = row;
  if (!AWAITS_RECORDS.has(state)) return undefined;
  const ready = whileReady(row, check, moment.now);
  // An imported hostname waits without a deadline until its target moves to the edge.
  const isParked = row.proof_target !== null && (check.verdict !== 'match' || check.awaitsTarget === true);
  // While the owner has not moved the records yet, time passes as without an answer.
  const seen = ready.isPaused || isParked ? { ...check, verdict: 'unknown' as const } : check;
  const since = ready.begins ? { ...row, phase_started_at: new Date(moment.now), unasked_ms: 0 } : row;
  return conclude(since, seen, moment, (waited) => {
    const { moves: judged, waitMs: usual } = judgePropagation(state, seen.verdict, waited, pace);
    const waitMs = isParked && !waited.fast ? Math.max(usual, atSpeed(WHILE_PARKED, pace)) : usual;
    // A connection that wants records only needs no certificate.
    const moves = row.serve ? judged : judged.map((one) => (one === 'recordsSeen' ? 'recordsInPlace' : one));
    const isRight = check.verdict === 'match';
    if (!isRight && isUntried({ triedCredential: row.credential_id }, access))
      return { moves: ['credentialFound'], waitMs, setup_type: 'automatic', error: null };
    if (ready.isPaused) return { moves, waitMs, error: null, ...ready.change };
    if (moves.includes('propagationTimedOut')) return { moves, waitMs, error: 'propagation_timeout' };
    if (!isRight && isRetryDue(row)) return { moves, waitMs, error: 'dns_write_failed' };
    const error = recordsError(check);
    const waits = state === 'propagating' && !moves.includes('propagationSlow');
    const change = { ...ready.change, ...afterChangeChecked(row, check.verdict) };
    return { moves, waitMs, error: error === 'record_missing' && waits ? null : error, ...change };
  });
}

/** Decides what a drift check changes. Returns undefined if the row does not serve. */
export function afterWatch(row: CheckedRow, check: RecordsCheck, moment: Moment, pace: Pace): Consequence | undefined {
  const { state } = row;
  const { now } = moment;
  if (!SERVING.has(state)) return undefined;
  // If the clock was set back, the first mismatch lies in the future: count it from now.
  const first = Math.min(row.first_mismatch_at?.getTime() ?? now, now);
  const isPending = check.verdict === 'mismatch' && isChangePending(row, now, pace.stallAfter / pace.speed);
  const verdict = isPending ? 'unknown' : check.verdict;
  const mismatches = mismatchesAfter(row.mismatch_count, verdict, now - first, pace);
  return conclude(row, check, moment, ({ fast }) => {
    const sinceMs = now - ((isPending ? row.record_changed_at : row.live_at)?.getTime() ?? now);
    const judgement = judgeWatch(state, verdict, mismatches, { liveForMs: sinceMs, fast, pace });
    return {
      ...judgement,
      ...(isPending ? { waitMs: atSpeed(untilNextCheck(sinceMs * pace.speed, fast), pace) } : {}),
      ...afterChangeChecked(row, check.verdict),
      error: isPending && isOnlyMissing(check.findings) ? null : recordsError(check),
      mismatch_count: mismatches,
      first_mismatch_at: mismatches === 0 ? null : new Date(first),
      ...(judgement.moves.includes('recordsDrifted') ? { eventData: driftData(check.records) } : {}),
    };
  });
}

const isOnlyMissing = (findings: readonly Finding[]): boolean =>
  findings.every(({ code, severity }) => code === 'missing' || severity !== 'error');

const isRetryDue = (row: CheckedRow): boolean =>
  isWriteRetryDue({ setupType: row.setup_type, errorCode: row.error_code });

const recordsError = ({ verdict, findings }: Check): ConnectionError | null =>
  verdict === 'unknown' ? errorOfUnknown(findings) : errorOf(findings);

/** Combines a decision with the changes that every check makes. */
function conclude(
  row: CheckedRow,
  check: Check,
  { now, tookMs, touched, random }: Moment,
  decide: (waited: Waited) => Decision,
): Consequence {
  const { waited, stored } = timeAt(row, { now, verdict: check.verdict, touched });
  const { moves, waitMs: judged, error, ...more } = decide(waited);
  const patient = check.silent === true ? Math.max(judged, whileSilent(stored.unasked_ms)) : judged;
  const waitMs = jittered(patient, tookMs, random);
  return {
    moves,
    waitMs,
    change: {
      now: new Date(now),
      reason: check.sentence,
      findings: check.findings,
      ...stored,
      last_checked_at: new Date(now),
      next_check_at: new Date(now + waitMs),
      ...more,
      error_code: keepRefusal(row, error),
    },
  };
}

/** Explains that the proof is valid but another connection holds the claim. */
export function afterLostClaim(hostname: string, provedBy: Proof) {
  const proof = provedBy === 'txt' ? 'TXT record' : 'CNAME';
  return {
    reason: `The ${proof} is correct, but another connection has already proved this hostname.`,
    error_code: 'hostname_conflict' as const,
    findings: [
      {
        code: 'hostname_conflict' as const,
        severity: 'error' as const,
        message: `${hostname} is connected elsewhere. Your ${proof} is correct and can stay.`,
        fix: `If the other connection is yours, archive it. If it is not, ask its owner or the operator of this service to archive it; your ${proof} is the proof. This connection continues automatically once the hostname is free.`,
        params: { hostname },
      },
    ],
  };
}
