import { certificateActivities } from './certificate.ts';
import { certificateOrderActivities } from './certificate-order.ts';
import { departureActivities } from './departure.ts';
import { connectionActivities } from './connection.ts';
import { cutoverActivities } from './cutover.ts';
import type { Deps } from './deps.ts';
import { ownershipActivities } from './ownership.ts';
import { recordActivities } from './records.ts';
import { setUpActivities } from './set-up.ts';
import { writingActivities } from './writing.ts';

/** Every activity that workflows can schedule. Names and arguments never change, because histories hold them. */
export function createActivities(deps: Deps) {
  const { prove, ...ownership } = ownershipActivities(deps);
  const { propagate, ...records } = recordActivities(deps);
  const { choose, write, ...writing } = writingActivities(deps);
  const { secure, ...certificate } = certificateActivities(deps);
  return {
    ...setUpActivities(deps, { prove, propagate, choose, write, secure }),
    ...connectionActivities(deps),
    ...ownership,
    ...records,
    ...writing,
    ...certificate,
    ...certificateOrderActivities(deps),
    ...cutoverActivities(deps),
    ...departureActivities(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;
