import type { ConnectionError, State } from './connection.ts';
import { shownState } from './state-sets.ts';
import type { Finding } from '../observation/finding.ts';

export interface TimelineFacts {
  state: State;
  error_code: ConnectionError | null;
  findings: readonly Finding[];
  cleanup: 'none' | 'pending' | 'done' | 'failed';
}

export type TimelineEntry = { kind: 'move'; from: State; to: State } | { kind: 'reason'; from: null; to: null };

/** Returns the timeline entry of a change, or null. A warning is new only if its code differs; its message varies. */
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
