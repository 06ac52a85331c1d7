import { untilNextCheck } from '../src/domain/connection/schedule.ts';
import { finishOrder } from '../src/ordering/end.ts';
import { NotYet } from '../src/ordering/failure.ts';
import { awaitPublished, finalize, place, publish, runStep, validate, type At } from '../src/ordering/steps.ts';
import { attempt, heartbeating } from './attempt.ts';
import type { Deps } from './deps.ts';
import { retryCheck } from './retry-check.ts';

/** Steps of an order. Each repeats until it is done, and returns `ended` if the order has an outcome. */
export function certificateOrderActivities({ ordering }: Pick<Deps, 'ordering'>) {
  const step = (body: Parameters<typeof runStep>[2]) => (id: string) =>
    repeatedly((at) => runStep(ordering, id, body, at));

  return {
    placeOrder: step(place),
    publishChallenges: step(publish),
    awaitChallenges: step(awaitPublished),
    validateChallenges: step(validate),
    finalizeOrder: step(finalize),
    finishOrder: (id: string) => repeatedly((at) => finishOrder(ordering, id, at)),
  };
}

/** Runs a step once. If it must wait, Temporal runs it again, at the pace of the checks. */
async function repeatedly<T>(body: (at: At) => Promise<T>): Promise<T> {
  const { now, signal, roundMs } = attempt();
  try {
    return await heartbeating(() => body({ now, signal }));
  } catch (error) {
    if (error instanceof NotYet) throw retryCheck(error.message, error.waitMs ?? untilNextCheck(roundMs, false));
    throw error;
  }
}
