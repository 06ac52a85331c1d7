import { proxyActivities } from '@temporalio/workflow';

const { roundTrip } = proxyActivities<{ roundTrip(): Promise<void> }>({ startToCloseTimeout: '15s' });

/** The least that a durable setup in three steps can cost: three activities, each with one SQL statement. */
export async function floor(): Promise<void> {
  await roundTrip();
  await roundTrip();
  await roundTrip();
}
