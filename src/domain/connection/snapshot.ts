import type { ChallengeCheck } from '../observation/check.ts';
import { HOLDS_CLAIM } from './state-sets.ts';
import type { ConnectionError, Environment, State } from './connection.ts';
import type { DueWork } from './due-work.ts';

/** What a workflow knows of its connection between two activities: little, because Postgres knows the rest. */
export interface ConnectionSnapshot {
  id: string;
  tenantId: string;
  hostname: string;
  environment: Environment;
  provider: string | null;
  state: State;
  errorCode: ConnectionError | null;
  /** Since when it is in this phase, and what the last look said; ISO time, for operators. */
  since: string | null;
  status: string | null;
  /** What must be written before the next check. */
  due: DueWork;
}

/** What a workflow has told its operators. A poll that finds it outdated returns. */
export type ReportedStatus = Pick<ConnectionSnapshot, 'errorCode' | 'provider'>;

/** How a demand to look at once ended. */
export interface VerifyOutcome {
  outcome: 'verified' | 'missing' | 'mismatch' | 'unknown' | 'conflict' | 'archived';
  observed: string[];
  checkedAt: string;
}

/** Returns the outcome that POST verify reports for a check that left the connection in this state. */
export function verifyOutcome({ verdict, observed }: ChallengeCheck, after: State): VerifyOutcome['outcome'] {
  if (after === 'archived') return 'archived';
  if (verdict === 'unknown') return 'unknown';
  if (verdict === 'match') return HOLDS_CLAIM.has(after) ? 'verified' : 'conflict';
  return observed.length > 0 ? 'mismatch' : 'missing';
}
