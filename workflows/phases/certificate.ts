import { activitiesOf, localActivities } from '../activities.ts';
import { runPhase } from '../legacy.ts';
import { repeated, reportedStatusOf, type Phase } from '../phase.ts';

/** Makes the edge obtain the certificate. The row names any obstacle; after seven days of obstacles the state is `failed`. */
export const obtainCertificate: Phase = (row) => {
  const summary = `certificate for ${row.hostname}`;
  const { obtainCertificate: obtain } = activitiesOf(row).work;
  return runPhase(
    row,
    () => localActivities.obtainCertificate(row.id, reportedStatusOf(row)),
    () => repeated(row, obtain.executeWithOptions({ summary }, [row.id, reportedStatusOf(row)])),
  );
};
