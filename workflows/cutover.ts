import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { cancelCutoverSignal, type CutoverInput } from './messages.ts';

/** A step asks DNS, a provider or the site. The server repeats it, which adds nothing to the history. */
const stepsOf = (tenantId: string) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '5m',
    heartbeatTimeout: '10s',
    // Longer than the longest TTL and the longest time of observing.
    scheduleToCloseTimeout: '3d',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    // A write that was sent must end before the records are restored.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    priority: { priorityKey: 2, fairnessKey: tenantId },
  });

const CANCELLED = { outcome: 'cancelled', reason: 'The cutover was cancelled.' } as const;
const LATE = { outcome: 'failed', reason: 'A step of the cutover did not succeed in time.' } as const;

/** Moves a running site here. Unless the site works afterwards, its old records are restored, however the run ends. */
export async function cutover({ id, tenantId, hostname }: CutoverInput): Promise<string> {
  const steps = stepsOf(tenantId);
  const scope = new CancellationScope();
  setHandler(cancelCutoverSignal, () => scope.cancel());
  const { lowerTtls, probeBeforeMove, moveRecords, observeSite } = steps;
  let unfinished: { outcome: 'cancelled' | 'failed'; reason: string } = LATE;
  try {
    await scope.run(async () => {
      for (const step of [lowerTtls, probeBeforeMove, moveRecords, observeSite] as const)
        if ((await step.executeWithOptions({ summary: hostname }, [id])) === 'ended') return;
    });
  } catch (error) {
    if (isCancellation(error)) unfinished = CANCELLED;
  }
  const outcome = await CancellationScope.nonCancellable(() => steps.finishCutover(id, unfinished));
  return outcome ?? unfinished.outcome;
}
