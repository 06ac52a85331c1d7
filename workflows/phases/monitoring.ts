import { activitiesOf } from '../activities.ts';
import { repeated, reportedStatusOf, type Phase } from '../phase.ts';

/** Checks a serving connection for drift, forever. The activity returns once a day, and the loop schedules it again. */
export const watch: Phase = async (row, touched) => {
  const { driftChecks, work } = activitiesOf(row);
  if (row.due === 'repair') await work.writeRecords.executeWithOptions({ summary: `repair ${row.hostname}` }, [row.id]);
  const summary = `drift of ${row.hostname}`;
  const reported = reportedStatusOf(row);
  return repeated(row, driftChecks.watch.executeWithOptions({ summary }, [row.id, touched, reported, row.seenUntil]));
};
