import { certificateActivities } from './certificate.ts';
import { certificateOrderActivities } from './certificate-order.ts';
import { departureActivities } from './departure.ts';
import { connectionActivities } from './connection.ts';
import { cutoverActivities } from './cutover.ts';
import type { Deps } from './deps.ts';
import { ownershipActivities } from './ownership.ts';
import { recordActivities } from './records.ts';
import { writingActivities } from './writing.ts';

/** Every activity that workflows can schedule. Names and arguments never change, because histories hold them. */
export const createActivities = (deps: Deps) => ({
  ...connectionActivities(deps),
  ...ownershipActivities(deps),
  ...recordActivities(deps),
  ...writingActivities(deps),
  ...certificateActivities(deps),
  ...certificateOrderActivities(deps),
  ...cutoverActivities(deps),
  ...departureActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
