import { ActivityFailure } from '@temporalio/workflow';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { activitiesOf, mayPassAtOnce, tryHere } from './activities.ts';
import { label } from './describe.ts';

/** A phase leads a connection out of its state, for as long as that takes, and returns it as it left it. */
export type Phase = (row: ConnectionSnapshot, touched: boolean) => Promise<ConnectionSnapshot>;

/** What this run has told its operators, for polls to compare with. */
export const reportedStatusOf = ({ errorCode, provider }: ConnectionSnapshot): ReportedStatus => ({
  errorCode,
  provider,
});

/**
 * A poll that used up its time without an end is no failure: the connection goes on from its row. The server reports
 * the last check's failure then, or a timeout if the last check itself was lost; both say the same in `retryState`.
 */
export async function round(row: ConnectionSnapshot, poll: Promise<ConnectionSnapshot>): Promise<ConnectionSnapshot> {
  try {
    return await poll;
  } catch (error) {
    if (error instanceof ActivityFailure && error.retryState === 'TIMEOUT') return activitiesOf(row).steps.load(row.id);
    throw error;
  }
}

/**
 * Lets the worker try a phase itself, within the workflow task, where it may pass without waiting. What does not pass there
 * is the server's to try, as for every other connection, and worth a label.
 */
export function hereFirst(
  row: ConnectionSnapshot,
  here: (now: number) => Promise<ConnectionSnapshot>,
  byServer: () => Promise<ConnectionSnapshot>,
): Promise<ConnectionSnapshot> {
  if (!mayPassAtOnce(row)) return byServer();
  return tryHere(here, () => {
    label(row);
    return byServer();
  });
}
