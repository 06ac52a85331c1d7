import { activitiesOf, chooseSetupOf } from '../activities.ts';
import { round, type Phase } from '../phase.ts';

/** Proved: from here either we write the records, or the customer does it by hand. */
export const chooseSetup: Phase = (row) => chooseSetupOf(row);

/** Writes the records through the application's credential; an hour of failing leaves the rest to the checks. */
export const writeRecords: Phase = (row) =>
  round(
    row,
    activitiesOf(row).work.writeRecords.executeWithOptions({ summary: `write the records of ${row.hostname}` }, [
      row.id,
    ]),
  );
