import type { State } from './connection.ts';
import type { TimeFacts } from './elapsed.ts';
import type { Finding } from './finding.ts';
import { CERTIFICATE_DEADLINE, OWNERSHIP_DEADLINE, PROPAGATION_DEADLINE, STALL_AFTER } from './schedule.ts';

const FAILS_AFTER: Partial<Record<State, number>> = {
  pending_ownership: OWNERSHIP_DEADLINE,
  verifying: OWNERSHIP_DEADLINE,
  propagating: STALL_AFTER + PROPAGATION_DEADLINE,
  stalled: STALL_AFTER + PROPAGATION_DEADLINE,
  issuing_cert: CERTIFICATE_DEADLINE,
};

type Waiting = Pick<TimeFacts, 'phase_started_at' | 'unasked_ms'> & { state: State; findings: readonly Finding[] };

/** What an operator reads of a connection that waits: what was seen, what puts it right, and how long that may take. */
export function statusLine(sentence: string, row: Waiting): string {
  const fix = row.findings.find((finding) => finding.fix !== null)?.fix;
  const end = failsAt(row);
  return [
    sentence,
    ...(fix === undefined ? [] : [`To put it right: ${fix}`]),
    ...(end === null ? [] : [`Fails at ${end.toISOString().slice(0, 16)}Z unless that happens.`]),
  ].join(' ');
}

/** When a connection that waits in vain fails, if somebody can be asked until then; never where it waits for ever. */
function failsAt({ state, phase_started_at, unasked_ms }: Waiting): Date | null {
  const after = FAILS_AFTER[state];
  if (after === undefined || phase_started_at === null) return null;
  return new Date(phase_started_at.getTime() + unasked_ms + after);
}
