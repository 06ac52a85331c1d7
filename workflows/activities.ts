import { ActivityCancellationType, proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/**
 * A look is short, so a worker killed in the middle costs seconds. Looking again is the server's work: each look fails
 * with the time of the next one, which costs no history. The look itself returns after a day, so that the workflow
 * breathes; the server's own end of it lies behind that.
 */
const LOOK: ActivityOptions = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '30h',
  retry: { initialInterval: '3s', backoffCoefficient: 1.5, maximumInterval: '1m' },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
};

/** Steps that touch only our own database: quick, and tried until it is there. */
const STEP: ActivityOptions = {
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** Work at somebody else's: heartbeats carry cancellation, and an interrupted write is waited for, never abandoned. */
const WORK: ActivityOptions = {
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '30h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10m' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

export const steps = proxyActivities<Activities>({ ...STEP, priority: { priorityKey: 2 } });
export const looks = proxyActivities<Activities>({ ...LOOK, priority: { priorityKey: 2 } });
export const rounds = proxyActivities<Activities>({ ...LOOK, priority: { priorityKey: 4 } });
export const work = proxyActivities<Activities>({ ...WORK, priority: { priorityKey: 2 } });
