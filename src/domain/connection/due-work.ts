import type { ConnectionError, SetupType, State } from './connection.ts';
import { DAY } from './schedule.ts';
import { AWAITS_PROOF, AWAITS_RECORDS } from './state-sets.ts';

/** What must be written before the next check. */
export type DueWork = 'write' | 'repair' | null;

export interface WorkFacts {
  state: State;
  setupType: SetupType;
  errorCode: ConnectionError | null;
  /** The credential that was last used or refused. */
  triedCredential: string | null;
  repairedAt: readonly number[];
}

/** What the application allows and has. */
export interface WriteAccess {
  /** The credential that covers the hostname now. */
  credential: string | null;
  driftPolicy: 'notify' | 'repair';
}

/** Repairs of one connection in a day: a customer who undoes our record again and again means it. */
const REPAIRS_PER_DAY = 3;

/** A write that failed for the moment is tried again beside the looks. */
export const isWriteRetryDue = ({ setupType, errorCode }: Pick<WorkFacts, 'setupType' | 'errorCode'>): boolean =>
  setupType === 'automatic' && errorCode === 'dns_write_failed';

/** A credential that was refused is not tried again; another one is. */
export const isUntried = (
  facts: Pick<WorkFacts, 'triedCredential'>,
  { credential }: Pick<WriteAccess, 'credential'>,
): boolean => credential !== null && credential !== facts.triedCredential;

/** A proved name is set up by us if a credential can do it that was not refused, or with which we have begun. */
export const isSetupByUs = (
  facts: Pick<WorkFacts, 'triedCredential' | 'setupType'>,
  access: Pick<WriteAccess, 'credential'>,
): boolean => isUntried(facts, access) || (access.credential !== null && facts.setupType === 'automatic');

/** False where nothing is due whatever the application allows, so that it need not be asked. */
export const mayBeDue = (facts: WorkFacts): boolean =>
  AWAITS_PROOF.has(facts.state) || facts.state === 'drifted' || isWriteRetryDue(facts);

export function dueWork(facts: WorkFacts, access: WriteAccess, now: number): DueWork {
  if (access.credential === null) return null;
  if (AWAITS_PROOF.has(facts.state)) return isUntried(facts, access) || isWriteRetryDue(facts) ? 'write' : null;
  if (AWAITS_RECORDS.has(facts.state)) return isWriteRetryDue(facts) ? 'write' : null;
  if (facts.state !== 'drifted' || access.driftPolicy !== 'repair') return null;
  return recent(facts.repairedAt, now).length < REPAIRS_PER_DAY ? 'repair' : null;
}

/** The repairs that still count against the day's budget. */
export const recent = (repairedAt: readonly number[], now: number): number[] =>
  repairedAt.filter((at) => at > now - DAY);
