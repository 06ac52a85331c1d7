import type { ConnectionRow } from '../src/db/connection-row.ts';
import { recordObservation, type Purpose } from '../src/db/observations.ts';
import type { Pool, Tx } from '../src/db/pool.ts';
import { remain, transition, type Change } from '../src/db/transitions.ts';
import { STICKY_ERRORS } from '../src/domain/connection.ts';
import { unaskedAfter, type Judgement, type Waited } from '../src/domain/judgement.ts';
import type { ChallengeCheck, RecordsCheck } from '../src/domain/check.ts';
import { FAST_FOR, jittered } from '../src/domain/schedule.ts';
import { movedRow, withRow } from './rows.ts';

/** One look and when it was: `now` is Temporal's time of the attempt, `tookMs` how long the look itself lasted. */
export interface Seen {
  purpose: Purpose;
  look: ChallengeCheck | RecordsCheck;
  now: number;
  tookMs: number;
  touched: boolean;
  random: number;
}

export interface Settled {
  row: ConnectionRow;
  /** How long to wait before the next look; null when the row no longer waits for this kind of look. */
  waitMs: number | null;
}

type Judge = (row: ConnectionRow, waited: Waited) => (Judgement & { change: Partial<Change> }) | undefined;

/**
 * Makes a look count: observation, moves, reason and next look in one transaction, judged on the row as it is then. A
 * row that no longer waits for this look is left alone, and so is one that a later look has judged already: a look in
 * flight that saw nothing must not undo the one that saw the match.
 */
export function settle(pool: Pool, id: string, seen: Seen, judge: Judge): Promise<Settled> {
  return withRow(pool, id, async (tx, row) => {
    const time = timeOf(row, seen);
    const judgement = judge(row, time.waited);
    if (judgement === undefined) return { row, waitMs: null };
    const waitMs = jittered(judgement.waitMs, seen.tookMs, seen.random);
    if (row.last_checked_at !== null && row.last_checked_at.getTime() > seen.now) return { row, waitMs };
    await recordObservation(tx, row, seen.purpose, seen.look, new Date(seen.now));
    const learned: Change = {
      now: new Date(seen.now),
      reason: seen.look.sentence,
      findings: seen.look.findings,
      provider: seen.look.provider ?? row.provider,
      nameservers: row.nameservers ?? seen.look.nameservers,
      ...time.stored,
      last_checked_at: new Date(seen.now),
      next_check_at: new Date(seen.now + waitMs),
      ...judgement.change,
      error_code: stickyOr(row, judgement.change.error_code ?? null),
    };
    return { row: await apply(tx, row, judgement, learned), waitMs };
  });
}

/** The first move takes along what was learned, so that one look makes one line in the timeline. */
async function apply(tx: Tx, locked: ConnectionRow, { moves }: Judgement, learned: Change): Promise<ConnectionRow> {
  const [first, ...others] = moves;
  if (first === undefined) return movedRow(await remain(tx, locked, learned));
  let row = locked;
  let change: Change = learned;
  for (const trigger of [first, ...others]) {
    const result = await transition(tx, row, trigger, change);
    row = movedRow(result.outcome === 'claim_held' ? await loseClaim(tx, row, change) : result);
    if (result.outcome === 'claim_held') break;
    change = { now: learned.now, ...(learned.reason === undefined ? {} : { reason: learned.reason }) };
  }
  return row;
}

const loseClaim = (tx: Tx, row: ConnectionRow, change: Change) =>
  transition(tx, row, 'claimHeldElsewhere', {
    ...change,
    reason: 'The TXT record is right, but another connection has proved this hostname.',
    error_code: 'hostname_conflict',
    findings: [
      {
        code: 'hostname_conflict',
        severity: 'error',
        message: `${row.hostname} is connected elsewhere. Your TXT record is right and can stay.`,
        fix: 'If the other connection is yours, archive it. If it is not, have its owner archive it or ask the operator of this service to, with your TXT record as the proof. This one goes on by itself as soon as the hostname is free.',
      },
    ],
  });

function timeOf(row: ConnectionRow, { now, look, touched }: Seen) {
  const started = row.phase_started_at ?? new Date(now);
  const before = row.last_checked_at?.getTime() ?? null;
  const unasked = unaskedAfter(row.unasked_ms, started.getTime(), before, look.verdict, now);
  const fastUntil = touched ? new Date(now + FAST_FOR) : row.fast_until;
  const elapsedMs = now - started.getTime();
  const waited: Waited = {
    elapsedMs,
    countedMs: elapsedMs - unasked,
    fast: fastUntil !== null && fastUntil.getTime() > now,
  };
  return { waited, stored: { phase_started_at: started, unasked_ms: unasked, fast_until: fastUntil } };
}

const stickyOr = (row: ConnectionRow, code: ConnectionRow['error_code']) =>
  row.error_code !== null && STICKY_ERRORS.has(row.error_code) ? row.error_code : code;
