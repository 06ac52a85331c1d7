import { activitiesOf, atOnce } from '../activities.ts';
import { hereFirst, round, reportedStatusOf, type Phase } from '../phase.ts';

/** Makes the edge obtain the certificate; what blocks it is named on the row, and seven days of that end in `failed`. */
export const obtainCertificate: Phase = (row) =>
  hereFirst(
    row,
    (now) => atOnce.obtainCertificate(row.id, reportedStatusOf(row), now),
    () => {
      const summary = `certificate for ${row.hostname}`;
      const { obtainCertificate: obtain } = activitiesOf(row).work;
      return round(row, obtain.executeWithOptions({ summary }, [row.id, reportedStatusOf(row)]));
    },
  );
