import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { recordObservation, type CheckKind } from '../src/db/observation/observations.ts';
import type { Pool, Tx } from '../src/db/pool.ts';
import { remain, transition, type Change } from '../src/db/connection/transitions.ts';
import { providerAmong } from '../src/domain/observation/domain-observation.ts';
import type { ChallengeCheck, RecordsCheck } from '../src/domain/observation/check.ts';
import type { Trigger } from '../src/domain/connection/connection.ts';
import { afterLostClaim, type Consequence } from '../src/domain/connection/consequence.ts';
import { isOutrun } from '../src/domain/connection/elapsed.ts';
import { movedRow, withRow } from './rows.ts';

/** One check, and its time by Temporal's clock. */
export interface Checked {
  purpose: CheckKind;
  check: ChallengeCheck | RecordsCheck;
  now: number;
}

export interface Settled {
  row: ConnectionRow;
  /** Time until the next check; null when the row no longer waits for this kind of check. */
  waitMs: number | null;
}

/** A step of a connection's setup that was tried: the row after it, the wait until it is tried again, and its result. */
export interface Step extends Settled {
  sentence: string;
}

/** Saves a check in one transaction, unless the row no longer waits for it or has a later check. */
export function settle(
  pool: Pool,
  id: string,
  { purpose, check, now }: Checked,
  decide: (row: ConnectionRow) => (Consequence & { also?: Partial<Change> }) | undefined,
  /** Runs in the same transaction, after a check that counts. */
  afterwards: (tx: Tx, row: ConnectionRow) => Promise<ConnectionRow> = (_tx, row) => Promise.resolve(row),
): Promise<Settled> {
  return withRow(pool, id, async (tx, row) => {
    const consequence = decide(row);
    if (consequence === undefined) return { row, waitMs: null };
    const { moves, change, waitMs, also = {} } = consequence;
    if (isOutrun(row, now)) return { row, waitMs };
    await recordObservation(tx, row, purpose, check, new Date(now));
    const learned: Change = {
      provider: providerAmong(check.providers, row.provider),
      nameservers: row.nameservers ?? check.nameservers,
      ...also,
      ...change,
      eventData: { ...also.eventData, ...change.eventData },
    };
    return { row: await afterwards(tx, await apply(tx, row, moves, learned)), waitMs };
  });
}

/**
 * Applies the transitions in order. The first one saves the observation's results. `checkStarted` is not saved when the
 * check has ended, because it has no timeline entry and no event.
 */
async function apply(tx: Tx, locked: ConnectionRow, moves: Trigger[], learned: Change): Promise<ConnectionRow> {
  const [begins, ...rest] = moves;
  const hasEnded = begins === 'checkStarted' && rest.length > 0;
  let row: ConnectionRow = hasEnded ? { ...locked, state: 'verifying' } : locked;
  const remaining = hasEnded ? rest : moves;
  const [only] = remaining;
  if (only === undefined || (hasEnded && remaining.length === 1 && only === 'challengeAbsent'))
    return movedRow(await remain(tx, locked, learned));
  let change: Change = learned;
  for (const trigger of remaining) {
    const result = await transition(tx, row, trigger, change);
    if (result.outcome === 'claim_held') {
      const lost = { ...change, ...afterLostClaim(row.hostname, change.proof ?? row.proof), proof: row.proof };
      return movedRow(await transition(tx, row, 'claimHeldElsewhere', lost));
    }
    row = movedRow(result);
    change = { now: learned.now, ...(learned.reason === undefined ? {} : { reason: learned.reason }) };
  }
  return row;
}
