import { condition, proxyActivities } from '@temporalio/workflow';

const { check } = proxyActivities<{ check(): Promise<void> }>({ startToCloseTimeout: '15s' });

/** The plain way to poll: a timer, an activity, again. What a look costs there is what ours is measured beside. */
export async function loop(everyMs: number): Promise<void> {
  for (;;) {
    await condition(() => false, everyMs);
    await check();
  }
}
