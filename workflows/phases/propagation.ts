import { activitiesOf, localActivities } from '../activities.ts';
import { runPhase } from '../legacy.ts';
import { repeated, reportedStatusOf, type Phase } from '../phase.ts';

/**
 * Handles the states `propagating` and `stalled`: checks until every record is seen. After an hour the state is
 * `stalled`, after another seven days `failed`.
 */
export const awaitPropagation: Phase = async (row, touched) => {
  const { checks, work } = activitiesOf(row);
  const summary = `records of ${row.hostname}`;
  // An earlier write failed temporarily.
  if (row.due === 'write')
    await work.writeRecords.executeWithOptions({ summary: `write the ${summary} again` }, [row.id]);
  const input = [row.id, touched, reportedStatusOf(row)] as const;
  // The server retries the check. Only sandbox histories of release 0.1.0 tried a local activity first.
  return runPhase(
    row,
    () => localActivities.lookForRecords(...input),
    () => repeated(row, checks.lookForRecords.executeWithOptions({ summary }, [...input])),
  );
};
