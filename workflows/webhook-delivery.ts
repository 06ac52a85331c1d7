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

/**
 * An attempt lasts 15 s at most, and as long again may pass until the endpoint has a turn for it. The next attempt is the
 * server's work: each one that failed carries when, over days, and leaves no event in the history.
 */
const { deliverWebhook, deliverWebhooks } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '6s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** The same, made by the worker within the workflow task: the server sees no activity and no second task. */
const atOnce = proxyLocalActivities<WebhookActivities>({ startToCloseTimeout: '50s', retry: { maximumAttempts: 1 } });

/** One delivery until it is settled. A replay makes the next attempt now; one that is under way is not disturbed. */
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

/** The first attempts of many deliveries, which cost one run together; those that fail go on in runs of their own. */
export async function webhookBatch({ chains }: WebhookBatchInput): Promise<{ done: number; later: number }> {
  try {
    return await atOnce.deliverWebhooks(chains, Date.now());
  } catch (error) {
    if (isCancellation(error)) throw error;
    return deliverWebhooks(chains); // only at the server does waiting cost no history
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
