import { looks } from '../activities.ts';
import { round, type Phase } from '../phase.ts';

/** Looks until every record is seen; an hour in vain is `stalled`, another seven days `failed`. */
export const awaitPropagation: Phase = (row, touched) =>
  round(row, looks.lookForRecords.executeWithOptions({ summary: `records of ${row.hostname}` }, [row.id, touched]));
