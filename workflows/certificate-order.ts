import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { CertificateOrderInput } from './messages.ts';

/** A step asks DNS, a provider or the certificate authority (CA). The server repeats it, which adds nothing to the history. */
const stepsOf = (tenantId: string) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: '7d',
    retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '5m' },
    priority: { priorityKey: 3, fairnessKey: tenantId },
  });

/** Orders one certificate. The records of its challenges are removed however it ends. */
export async function certificateOrder({ id, tenantId, hostname }: CertificateOrderInput): Promise<string> {
  const steps = stepsOf(tenantId);
  const { placeOrder, publishChallenges, awaitChallenges, validateChallenges, finalizeOrder } = steps;
  const inOrder = [placeOrder, publishChallenges, awaitChallenges, validateChallenges, finalizeOrder] as const;
  try {
    for (const step of inOrder)
      if ((await step.executeWithOptions({ summary: hostname }, [id])) === 'ended') return 'ended';
    return 'issued';
  } finally {
    await CancellationScope.nonCancellable(() => steps.finishOrder(id));
  }
}
