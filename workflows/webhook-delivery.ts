import {
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook.ts';
import { replaySignal, type WebhookBatchInput, type WebhookDeliveryInput } from './messages.ts';

/** An attempt lasts 15 s at most and may wait as long for its turn. Each failed one carries the time of the next. */
const { deliverWebhook, deliverWebhooks } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '6s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Runs attempts in the worker, inside the workflow task, which saves two round trips to the Temporal server. */
const localActivities = proxyLocalActivities<WebhookActivities>({
  startToCloseTimeout: '50s',
  retry: { maximumAttempts: 1 },
});

/** Attempts one delivery until it succeeds or is given up. A replay makes the next attempt immediately. */
export async function webhookDelivery({ id }: WebhookDeliveryInput): Promise<string> {
  let replays = 0;
  setHandler(replaySignal, () => {
    replays += 1;
  });
  for (;;) {
    const before = replays;
    const sentence = await interruptible(
      () => deliverWebhook(id),
      () => replays !== before,
    );
    if (replays === before) return sentence ?? '';
  }
}

/** Makes the first attempts of many deliveries in one run. Failed deliveries continue in runs of their own. */
export async function webhookBatch({ chains }: WebhookBatchInput): Promise<{ done: number; later: number }> {
  try {
    return await localActivities.deliverWebhooks(chains, Date.now());
  } catch (error) {
    if (isCancellation(error)) throw error;
    return deliverWebhooks(chains); // on the server, waiting adds nothing to the history
  }
}

async function interruptible<T>(work: () => Promise<T>, interrupted: () => boolean): Promise<T | undefined> {
  try {
    return await CancellationScope.cancellable(async () => {
      try {
        return await Promise.race([work(), condition(interrupted).then(() => undefined)]);
      } finally {
        CancellationScope.current().cancel();
      }
    });
  } catch (error) {
    if (isCancellation(error) && interrupted()) return undefined;
    throw error;
  }
}
