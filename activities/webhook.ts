import { activityInfo } from '@temporalio/activity';
import { attemptDelivery, attemptFirst, type WebhookAccess } from '../src/webhooks/deliver.ts';
import { attempt, heartbeating } from './attempt.ts';
import { retryCheck } from './retry-check.ts';

export const webhookActivities = (access: WebhookAccess) => ({
  async deliverWebhook(id: string): Promise<string> {
    const tried = await heartbeating(() => attemptDelivery(access, id, { ...asking(), mode: 'due' }));
    if (tried.outcome !== 'done') throw retryCheck(tried.sentence, tried.waitMs, 'attempt');
    return tried.sentence;
  },
  /** Attempts many deliveries. As a local activity it gets `now` from the workflow. */
  deliverWebhooks: (lists: string[][], now?: number) =>
    heartbeating(() => attemptFirst(access, lists, { ...asking(), ...(now === undefined ? {} : { now }) })),
});
export type WebhookActivities = ReturnType<typeof webhookActivities>;
/** Identifies the activity to the database. A retry of the activity has the same id, so it resumes its own lease. */
const asking = () => {
  const { workflowExecution, activityId } = activityInfo();
  return { now: attempt().now, by: `${workflowExecution?.runId ?? ''} ${activityId}` };
};
