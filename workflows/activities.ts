import {
  ActivityCancellationType,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { isInSandbox } from '../src/domain/sandbox-name.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';

/**
 * A check is short and heartbeats, so a worker killed in the middle costs seconds. Checking again is the server's work:
 * each check fails with the time of the next one, which costs no history. The poll itself returns after a day, so that
 * the workflow breathes; the server's own end of it lies behind that.
 */
const CHECK: ActivityOptions = {
  startToCloseTimeout: '15s',
  heartbeatTimeout: '5s',
  scheduleToCloseTimeout: '30h',
  retry: { initialInterval: '3s', backoffCoefficient: 1.5, maximumInterval: '1m' },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
};

/** Steps that touch only our own database: quick, and tried until it is there. */
const STEP: ActivityOptions = {
  startToCloseTimeout: '8s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** One check for a caller who waits: as long as a check may last, and tried again as soon as a step. */
const VERIFY: ActivityOptions = { ...STEP, startToCloseTimeout: '15s', heartbeatTimeout: '5s' };

/** Work at a provider or at the edge: heartbeats carry cancellation, and an interrupted write is waited for, never abandoned. */
const WORK: ActivityOptions = {
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '30h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10m' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** The same, done by the worker that runs the workflow, within the workflow task: two visits to the server fewer. */
export const atOnce = proxyLocalActivities<Activities>({ startToCloseTimeout: '4s', retry: { maximumAttempts: 1 } });

/** Before the row is known: the server gives the workflow's own fairness key to it. */
const loading = proxyActivities<Activities>({ ...STEP, priority: { priorityKey: 2 } });

/** False in runs that began before this was written: the server has their steps done. */
export const stepsRunAtOnce = (): boolean => patched('steps-at-once');

/**
 * Whether the phase that a connection is in can pass without waiting: the DNS of a name in the sandbox is a table, and
 * its certificate is ours. Not where something is to be written first, and not in runs that began before this was written.
 */
export const mayPassAtOnce = (row: ConnectionSnapshot): boolean =>
  isInSandbox(row) && row.due === null && patched('sandbox-at-once');

/**
 * What may wait for nothing is tried here. If that fails, the server tries it for as long as it takes, because only there
 * waiting costs no history. The worker's clock is not the server's, so that the workflow gives its time along.
 */
export async function tryHere<T>(here: (now: number) => Promise<T>, byServer: () => Promise<T>): Promise<T> {
  try {
    return await here(Date.now());
  } catch (error) {
    if (isCancellation(error)) throw error;
    return byServer();
  }
}

/** A step waits for nothing but our own database. */
const step = <T>(here: (now: number) => Promise<T>, byServer: () => Promise<T>): Promise<T> =>
  stepsRunAtOnce() ? tryHere(here, byServer) : byServer();

export const loadSnapshot = (id: string) =>
  step(
    (now) => atOnce.load(id, now),
    () => loading.load(id),
  );

export const chooseSetupOf = ({ id, tenantId }: { id: string; tenantId: string }) =>
  step(
    (now) => atOnce.chooseSetup(id, now),
    () => activitiesOf({ tenantId }).steps.chooseSetup(id),
  );

/**
 * The activities of one connection. The fairness key makes the server deal out each tenant's activities in turn, so that
 * a tenant with a thousand names that wait leaves every second slot to the others.
 */
export function activitiesOf({ tenantId }: { tenantId: string }) {
  const forTenant = (options: ActivityOptions, priorityKey: number) =>
    proxyActivities<Activities>({ ...options, priority: { priorityKey, fairnessKey: tenantId } });
  return {
    steps: forTenant(STEP, 2),
    verifying: forTenant(VERIFY, 2),
    looks: forTenant(CHECK, 2),
    rounds: forTenant(CHECK, 4),
    work: forTenant(WORK, 2),
  };
}
