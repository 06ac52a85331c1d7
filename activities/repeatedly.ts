import { untilNextCheck } from '../src/domain/connection/schedule.ts';
import { NotYet, type At } from '../src/domain/step.ts';
import { attempt, heartbeating } from './attempt.ts';
import { retryCheck } from './retry-check.ts';

/** Runs a step once. If it must wait, Temporal runs it again, at the pace of the checks. */
export async function repeatedly<T>(body: (at: At) => Promise<T>): Promise<T> {
  const { now, signal, roundMs } = attempt();
  try {
    return await heartbeating(() => body({ now, signal }));
  } catch (error) {
    if (error instanceof NotYet) throw retryCheck(error.message, error.waitMs ?? untilNextCheck(roundMs, false));
    throw error;
  }
}
