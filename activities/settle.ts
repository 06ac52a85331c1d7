import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { rowAfterMoves, save, type Move } from '../src/db/connection/save.ts';
import type { Change } from '../src/db/connection/transitions.ts';
import type { CheckKind } from '../src/db/observation/observations.ts';
import type { Pool } from '../src/db/pool.ts';
import { providerAmong } from '../src/domain/observation/domain-observation.ts';
import type { ChallengeCheck, RecordsCheck } from '../src/domain/observation/check.ts';
import type { Trigger } from '../src/domain/connection/connection.ts';
import { afterLostClaim, type Consequence } from '../src/domain/connection/consequence.ts';
import { isOutrun } from '../src/domain/connection/elapsed.ts';

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

/** Saves a check with its consequences, unless the row no longer waits for it or has a later check. */
export async function settle(
  pool: Pool,
  row: ConnectionRow,
  { purpose, check, now }: Checked,
  decide: (row: ConnectionRow) => (Consequence & { also?: Partial<Change> }) | undefined,
  /** Returns a further transition of the row that the check leaves. */
  further: (row: ConnectionRow) => Move | undefined = () => undefined,
): Promise<Settled> {
  let waitMs: number | null = null;
  const saved = await save(pool, row, (fresh) => {
    const consequence = decide(fresh);
    waitMs = consequence?.waitMs ?? null;
    if (consequence === undefined || isOutrun(fresh, now)) return undefined;
    const { moves: triggers, change, also = {} } = consequence;
    const learned: Change = {
      provider: providerAmong(check.providers, fresh.provider),
      nameservers: fresh.nameservers ?? check.nameservers,
      ...also,
      ...change,
      eventData: { ...also.eventData, ...change.eventData },
    };
    const moves = movesOf(triggers, learned);
    const next = further(rowAfterMoves(fresh, moves));
    return {
      observation: { purpose, check, now: new Date(now) },
      moves: next === undefined ? moves : [...moves, next],
      ifClaimHeld: lostClaim(fresh, learned),
    };
  });
  return { row: saved, waitMs };
}

/**
 * Returns the transitions of a check in order. The first one saves the observation's results. `checkStarted` is not saved
 * when the check has ended, because it has no timeline entry and no event.
 */
function movesOf(triggers: readonly Trigger[], learned: Change): Move[] {
  const [begins, ...rest] = triggers;
  const hasEnded = begins === 'checkStarted' && rest.length > 0;
  const remaining = hasEnded ? rest : triggers;
  const [first, ...others] = remaining;
  if (first === undefined || (hasEnded && others.length === 0 && first === 'challengeAbsent'))
    return [{ trigger: null, change: learned }];
  const change: Change = { now: learned.now, ...(learned.reason === undefined ? {} : { reason: learned.reason }) };
  return [
    { trigger: first, change: learned, ...(hasEnded ? { from: 'verifying' } : {}) },
    ...others.map((trigger) => ({ trigger, change })),
  ];
}

/** Returns the transition of a proof that came second: another connection has proved the hostname. */
const lostClaim = (row: ConnectionRow, learned: Change): Move => ({
  trigger: 'claimHeldElsewhere',
  change: { ...learned, ...afterLostClaim(row.hostname, learned.proof ?? row.proof), proof: row.proof },
  from: 'verifying',
});
