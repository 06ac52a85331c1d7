import {
  ActivityCancellationType,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/**
 * A check is short and heartbeats. An attempt also watches for a challenge for some seconds. The server repeats checks: each one fails with the time of the next, which adds
 * nothing to the history. The activity returns after a day, so that the workflow can take up new code.
 */
const CHECK_RETRY = { initialInterval: '3s', backoffCoefficient: 1.5, maximumInterval: '1m' } as const;
const CHECK: ActivityOptions = {
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
  scheduleToCloseTimeout: '30h',
  retry: CHECK_RETRY,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
};

/** A step touches only our own database: it is quick, and retried until the database answers. */
const STEP: ActivityOptions = {
  startToCloseTimeout: '8s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** One check for a waiting caller: it may last as long as any check, and is retried as quickly as a step. */
const VERIFY: ActivityOptions = { ...STEP, startToCloseTimeout: '15s', heartbeatTimeout: '5s' };

/** Work at a provider or at the edge. Heartbeats carry cancellation, and the workflow waits for a cancelled write to end. */
const WORK: ActivityOptions = {
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '30h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10m' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** The setup checks and writes: it waits like a check, and a cancelled write ends before the next step begins. */
const SET_UP: ActivityOptions = { ...WORK, retry: CHECK_RETRY };

/** Runs activities in the worker, inside the workflow task, which saves two round trips to the Temporal server. */
export const localActivities = proxyLocalActivities<Activities>({
  startToCloseTimeout: '4s',
  retry: { maximumAttempts: 1 },
});

/** Loads before the tenant is known: the server applies the workflow's own fairness key. */
const loading = proxyActivities<Activities>({ ...STEP, priority: { priorityKey: 2 } });

/** Whether steps run as local activities. Runs that began before the patch leave them to the server. */
export const runsStepsLocally = (): boolean => patched('steps-at-once');

/** Tries a local activity, then leaves the work to the server. Local activities get the workflow's time. */
export async function runLocallyFirst<T>(local: (now: number) => Promise<T>, onServer: () => Promise<T>): Promise<T> {
  try {
    return await local(Date.now());
  } catch (error) {
    if (isCancellation(error)) throw error;
    return onServer();
  }
}

const step = <T>(local: (now: number) => Promise<T>, onServer: () => Promise<T>): Promise<T> =>
  runsStepsLocally() ? runLocallyFirst(local, onServer) : onServer();

export const loadSnapshot = (id: string) =>
  step(
    (now) => localActivities.load(id, now),
    () => loading.load(id),
  );

export const chooseSetupOf = ({ id, tenantId }: { id: string; tenantId: string }) =>
  step(
    (now) => localActivities.chooseSetup(id, now),
    () => activitiesOf({ tenantId }).steps.chooseSetup(id),
  );

/** Returns the activities of one connection. The fairness key makes the server dispatch tenants in turn. */
export function activitiesOf({ tenantId }: { tenantId: string }) {
  const forTenant = (options: ActivityOptions, priorityKey: number) =>
    proxyActivities<Activities>({ ...options, priority: { priorityKey, fairnessKey: tenantId } });
  return {
    steps: forTenant(STEP, 2),
    verifying: forTenant(VERIFY, 2),
    checks: forTenant(CHECK, 2),
    driftChecks: forTenant(CHECK, 4),
    work: forTenant(WORK, 2),
    setUps: forTenant(SET_UP, 2),
  };
}
