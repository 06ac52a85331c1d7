import { activitiesOf, atOnce } from '../activities.ts';
import { hereFirst, round, reportedStatusOf, type Phase } from '../phase.ts';

/** Checks until every record is seen; an hour in vain is `stalled`, another seven days `failed`. */
export const awaitPropagation: Phase = async (row, touched) => {
  const { looks, work } = activitiesOf(row);
  const summary = `records of ${row.hostname}`;
  if (row.due === 'write')
    await work.writeRecords.executeWithOptions({ summary: `write the ${summary} again` }, [row.id]);
  return hereFirst(
    row,
    (now) => atOnce.lookForRecords(row.id, touched, reportedStatusOf(row), now),
    () => round(row, looks.lookForRecords.executeWithOptions({ summary }, [row.id, touched, reportedStatusOf(row)])),
  );
};
