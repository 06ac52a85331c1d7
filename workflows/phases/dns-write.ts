import { activitiesOf, chooseSetupOf } from '../activities.ts';
import { repeated, type Phase } from '../phase.ts';

/** Decides who adds the records of a proved hostname: the service, through a credential, or the customer. */
export const chooseSetup: Phase = (row) => chooseSetupOf(row);

/** Writes the records through the application's credential. After an hour of failures the customer is asked to add them. */
export const writeDns: Phase = (row) => {
  const summary = `write the records of ${row.hostname}`;
  return repeated(row, activitiesOf(row).work.writeRecords.executeWithOptions({ summary }, [row.id]));
};
