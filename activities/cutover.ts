import { finishCutover, type Unfinished } from '../src/cutover/end.ts';
import { lowerTtls, moveRecords, observe, probeBefore, runStep, type Step } from '../src/cutover/steps.ts';
import type { Deps } from './deps.ts';
import { repeatedly } from './repeatedly.ts';

/** Steps of a cutover. Each repeats until it is done, and returns `ended` if the cutover's end is decided. */
export function cutoverActivities(cutting: Pick<Deps, 'providerAccess' | 'probes'>) {
  const step = (body: Step) => (id: string) => repeatedly((at) => runStep(cutting, id, body, at));

  return {
    lowerTtls: step(lowerTtls),
    probeBeforeMove: step(probeBefore),
    moveRecords: step(moveRecords),
    observeSite: step(observe),
    finishCutover: (id: string, unfinished: Unfinished) =>
      repeatedly((at) => finishCutover(cutting, id, unfinished, at)),
  };
}
