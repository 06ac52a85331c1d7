import type { State } from './connection.ts';
import { failsAt, type WaitFacts } from './deadline.ts';
import type { Finding } from '../observation/finding.ts';
import { WRITE_DEADLINE } from './schedule.ts';

export interface OutlookFacts extends WaitFacts {
  next_check_at: Date | null;
  cleanup: 'none' | 'pending' | 'done' | 'failed';
}

const WAITS_FOR: Partial<Record<State, string>> = {
  created: 'its workflow',
  pending_ownership: 'the ownership record',
  verifying: 'the ownership record',
  verified: 'the choice of its setup',
  dns_writing: 'the provider to take the records',
  propagating: 'its records',
  stalled: 'its records',
  issuing_cert: 'its certificate',
  drifted: 'its records to come back',
};

/** Returns, for an operator, what happens to the connection next without intervention, and when. */
export function outlookOf(row: OutlookFacts): string {
  const { state, next_check_at, cleanup } = row;
  if (state === 'archived')
    return cleanup === 'pending' ? 'What we wrote is being removed from its zone.' : 'Nothing: it is archived.';
  if (state === 'failed') return 'Nothing, until it is verified again or archived.';
  const check =
    next_check_at === null ? 'No check is planned.' : `The next check is at ${next_check_at.toISOString()}.`;
  const waitsFor = WAITS_FOR[state];
  return waitsFor === undefined ? check : `It waits for ${waitsFor}${endOf(row)}. ${check}`;
}

/** Returns the end of the wait; an empty text where the connection waits forever. */
function endOf(row: OutlookFacts): string {
  const end = failsAt(row);
  if (end !== null) return `; it fails on ${end.toISOString()}`;
  if (row.state !== 'dns_writing' || row.phase_started_at === null) return '';
  return `; the customer is asked instead on ${new Date(row.phase_started_at.getTime() + WRITE_DEADLINE).toISOString()}`;
}

/** Returns what an operator reads while a connection waits: the last result, the fix, and when the connection fails. */
export function statusLine(sentence: string, row: WaitFacts & { findings: readonly Finding[] }): string {
  const fix = row.findings.find((finding) => finding.fix !== null)?.fix;
  const end = failsAt(row);
  return [
    sentence,
    ...(fix === undefined ? [] : [`To fix it: ${fix}`]),
    ...(end === null ? [] : [`Fails at ${end.toISOString().slice(0, 16)}Z unless that happens.`]),
  ].join(' ');
}
