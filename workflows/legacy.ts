import { patched } from '@temporalio/workflow';
import type { State } from '../src/domain/connection/connection.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { isInSandbox } from '../src/domain/hostname.ts';
import { runLocallyFirst } from './activities.ts';
import { label } from './labels.ts';

/**
 * Replays histories of release 0.1.0, which ran sandbox hostnames' phases as local activities. Live runs never get
 * here: the first patch diverts them. Delete this file together with the column outbox.task_queue.
 */
export const tookFastPath = (row: ConnectionSnapshot): boolean =>
  isInSandbox(row) && row.due === null && !patched('sandbox-like-real') && patched('sandbox-at-once');

/** States whose phase the fast path tried, and which it did not label unless the local activity failed. */
const TRIED: Partial<Record<State, true>> = {
  pending_ownership: true,
  verifying: true,
  propagating: true,
  issuing_cert: true,
};

export const leftUnlabelled = (row: ConnectionSnapshot): boolean => TRIED[row.state] === true && tookFastPath(row);

/** Runs a phase: on the server, or as the fast path of release 0.1.0 did it. */
export function runPhase(
  row: ConnectionSnapshot,
  local: () => Promise<ConnectionSnapshot>,
  onServer: () => Promise<ConnectionSnapshot>,
): Promise<ConnectionSnapshot> {
  if (!tookFastPath(row)) return onServer();
  return runLocallyFirst(local, () => {
    label(row);
    return onServer();
  });
}
