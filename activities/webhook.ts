import { activityInfo } from '@temporalio/activity';
import { attemptDelivery, attemptFirst, type WebhookAccess } from '../src/webhooks/deliver.ts';
import { attempt, heartbeating } from './attempt.ts';
import { retryCheck } from './retry-check.ts';

/** The activities of the task queue for webhooks. */
export const webhookActivities = (access: WebhookAccess) => ({
  async deliverWebhook(id: string): Promise<string> {
    const outcome = await heartbeating(() => attemptDelivery(access, id, { ...asking(), mode: 'due' }));
    if (!outcome.done) throw retryCheck(outcome.sentence, outcome.waitMs, 'attempt');
    return outcome.sentence;
  },
  /** The worker's clock is not the server's: within a workflow task it is given the time. */
  deliverWebhooks: (chains: string[][], now?: number) =>
    heartbeating(() => attemptFirst(access, chains, { ...asking(), ...(now === undefined ? {} : { now }) })),
});
export type WebhookActivities = ReturnType<typeof webhookActivities>;
/** A retry of the same activity is the same attempt to the database: it takes its claim up again. */
const asking = () => {
  const { workflowExecution, activityId } = activityInfo();
  return { now: attempt().now, by: `${workflowExecution?.runId ?? ''} ${activityId}` };
};
