import { finishOrder } from '../src/ordering/end.ts';
import { awaitPublished, finalize, place, publish, runStep, validate } from '../src/ordering/steps.ts';
import type { Deps } from './deps.ts';
import { repeatedly } from './repeatedly.ts';

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
