import type { ChallengeCheck } from '../observation/check.ts';
import { PROVED } from './state-sets.ts';
import type { ConnectionError, Environment, State } from './connection.ts';
import type { DueWork } from './due-work.ts';

/** Facts that a workflow keeps between two activities. Postgres holds the rest. */
export interface ConnectionSnapshot {
  id: string;
  tenantId: string;
  hostname: string;
  environment: Environment;
  provider: string | null;
  state: State;
  errorCode: ConnectionError | null;
  /** Start of the phase as ISO time, for operators. */
  since: string | null;
  status: string | null;
  /** The write that must happen before the next check. */
  due: DueWork;
  /** ISO time until which the next check for drift can wait, because an activity has just seen the records. */
  seenUntil?: string | undefined;
}

/** The status that the workflow shows to operators. An activity that finds another one returns. */
export type ReportedStatus = Pick<ConnectionSnapshot, 'errorCode' | 'provider'> & { state?: State };

export interface VerifyOutcome {
  outcome: 'verified' | 'missing' | 'mismatch' | 'unknown' | 'conflict' | 'archived';
  observed: string[];
  checkedAt: string;
}

/** Returns the outcome that POST verify reports for a check that left the connection in this state. */
export function verifyOutcome({ verdict, observed }: ChallengeCheck, after: State): VerifyOutcome['outcome'] {
  if (after === 'archived') return 'archived';
  if (verdict === 'unknown') return 'unknown';
  if (verdict === 'match') return PROVED.has(after) ? 'verified' : 'conflict';
  return observed.length > 0 ? 'mismatch' : 'missing';
}
