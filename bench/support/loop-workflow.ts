import { condition, proxyActivities } from '@temporalio/workflow';

const { check } = proxyActivities<{ check(): Promise<void> }>({ startToCloseTimeout: '15s' });

/** Polls by a loop of timer and activity, the baseline for the cost of our checks. */
export async function loop(everyMs: number): Promise<void> {
  for (;;) {
    await condition(() => false, everyMs);
    await check();
  }
}
