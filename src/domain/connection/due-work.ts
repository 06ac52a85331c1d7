import type { ConnectionError, SetupType, State } from './connection.ts';
import { DAY } from '../duration.ts';
import { AWAITS_PROOF, AWAITS_RECORDS, SERVING } from './state-sets.ts';

/** The write that must happen before the next check. */
export type DueWork = 'write' | 'repair' | null;

export interface WorkFacts {
  state: State;
  setupType: SetupType;
  errorCode: ConnectionError | null;
  /** The credential of the last write or refusal. */
  triedCredential: string | null;
  repairedAt: readonly number[];
  /** A change of the records that has something to write. */
  recordChange: 'write' | 'remove' | null;
}

/** The application's drift policy and its credential for the hostname. */
export interface WriteAccess {
  credential: string | null;
  driftPolicy: 'notify' | 'repair';
}

/** Maximum number of repairs of one connection in a day: a customer who keeps undoing our record does so on purpose. */
const REPAIRS_PER_DAY = 3;

/** Whether a write that failed temporarily is retried alongside the checks. */
export const isWriteRetryDue = ({ setupType, errorCode }: Pick<WorkFacts, 'setupType' | 'errorCode'>): boolean =>
  setupType === 'automatic' && errorCode === 'dns_write_failed';

/** Whether a credential is available that was not refused yet. */
export const isUntried = (
  facts: Pick<WorkFacts, 'triedCredential'>,
  { credential }: Pick<WriteAccess, 'credential'>,
): boolean => credential !== null && credential !== facts.triedCredential;

/** Whether the service adds the records: with an untried credential, or with one that has started the setup. */
export const isSetupByUs = (
  facts: Pick<WorkFacts, 'triedCredential' | 'setupType'>,
  access: Pick<WriteAccess, 'credential'>,
): boolean => isUntried(facts, access) || (access.credential !== null && facts.setupType === 'automatic');

/** Whether work can be due at all. If not, the application need not be read. */
export const mayBeDue = (facts: WorkFacts): boolean =>
  AWAITS_PROOF.has(facts.state) || facts.state === 'drifted' || facts.recordChange !== null || isWriteRetryDue(facts);

export function dueWork(facts: WorkFacts, access: WriteAccess, now: number): DueWork {
  if (access.credential === null) return null;
  if (AWAITS_PROOF.has(facts.state)) return isUntried(facts, access) || isWriteRetryDue(facts) ? 'write' : null;
  const isChanging = facts.recordChange !== null;
  if (AWAITS_RECORDS.has(facts.state)) return isChanging || isWriteRetryDue(facts) ? 'write' : null;
  if (isChanging && SERVING.has(facts.state)) return 'repair';
  if (facts.state !== 'drifted' || access.driftPolicy !== 'repair') return null;
  return recent(facts.repairedAt, now).length < REPAIRS_PER_DAY ? 'repair' : null;
}

/** Returns the repairs that count against the day's maximum. */
export const recent = (repairedAt: readonly number[], now: number): number[] =>
  repairedAt.filter((at) => at > now - DAY);
