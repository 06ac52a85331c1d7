import type { ConnectionError, State } from './connection.ts';
import { shownState } from './state-sets.ts';
import type { Finding } from '../observation/finding.ts';

/** What the timeline compares of a connection before and after a change. */
export interface TimelineFacts {
  state: State;
  error_code: ConnectionError | null;
  findings: readonly Finding[];
  cleanup: 'none' | 'pending' | 'done' | 'failed';
}

export type TimelineEntry = { kind: 'move'; from: State; to: State } | { kind: 'reason'; from: null; to: null };

/**
 * What a change is for the timeline: a move between states, another reason, or nothing new. `verifying` comes and goes
 * with every check and is never told. A reason is new when another error stands, or the same one in other words; of
 * warnings only another kind is new, because their words name servers and times that change with every check.
 */
export function timelineEntry(before: TimelineFacts, after: TimelineFacts): TimelineEntry | null {
  if (after.state === 'verifying') return null;
  const from = shownState(before.state);
  if (from !== after.state) return { kind: 'move', from, to: after.state };
  const isStuck = after.cleanup === 'failed' && before.cleanup !== 'failed';
  const isNew = before.error_code !== after.error_code || reasonOf(before.findings) !== reasonOf(after.findings);
  return isNew || isStuck ? { kind: 'reason', from: null, to: null } : null;
}

function reasonOf(findings: readonly Finding[]): string | null {
  const error = findings.find(({ severity }) => severity === 'error');
  if (error) return `${error.code} ${error.message}`;
  return findings.find(({ severity }) => severity === 'warning')?.code ?? null;
}
