import { certificateActivities } from './certificate.ts';
import { connectionActivities } from './connection.ts';
import type { Deps } from './deps.ts';
import { ownershipActivities } from './ownership.ts';
import { recordActivities } from './records.ts';
import { writingActivities } from './writing.ts';

/** Everything workflows can ask to be done. Names and arguments are for ever: histories hold them. */
export const createActivities = (deps: Deps) => ({
  ...connectionActivities(deps),
  ...ownershipActivities(deps),
  ...recordActivities(deps),
  ...writingActivities(deps),
  ...certificateActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
