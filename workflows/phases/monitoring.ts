import { activitiesOf } from '../activities.ts';
import { round, reportedStatusOf, type Phase } from '../phase.ts';

/** Watches a connection that serves, for ever. A day of health ends one round and begins the next. */
export const watch: Phase = async (row, touched) => {
  const { rounds, work } = activitiesOf(row);
  if (row.due === 'repair') await work.writeRecords.executeWithOptions({ summary: `repair ${row.hostname}` }, [row.id]);
  return round(
    row,
    rounds.watch.executeWithOptions({ summary: `drift of ${row.hostname}` }, [row.id, touched, reportedStatusOf(row)]),
  );
};
