import { ActivityFailure } from '@temporalio/workflow';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { activitiesOf } from './activities.ts';

/** Handles one state of a connection, for as long as that takes, and returns the connection as it left it. */
export type Phase = (row: ConnectionSnapshot, touched: boolean) => Promise<ConnectionSnapshot>;

/** Returns the status that operators see in this run, with which checks compare their result. */
export const reportedStatusOf = ({ errorCode, provider }: ConnectionSnapshot): ReportedStatus => ({
  errorCode,
  provider,
});

/** Whether an activity reached its scheduleToClose timeout while the server repeated it. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.retryState === 'TIMEOUT';

/** Waits for an activity that repeats a check. Reaching its scheduleToClose timeout is no failure. */
export async function repeated(
  row: ConnectionSnapshot,
  check: Promise<ConnectionSnapshot>,
): Promise<ConnectionSnapshot> {
  try {
    return await check;
  } catch (error) {
    if (isTimeout(error)) return activitiesOf(row).steps.load(row.id);
    throw error;
  }
}
