import { activitiesOf } from '../activities.ts';
import { round, toldOf, type Phase } from '../phase.ts';

/** Makes the edge obtain the certificate; what blocks it is named on the row, and seven days of that end in `failed`. */
export const obtainCertificate: Phase = (row) =>
  round(
    row,
    activitiesOf(row).work.obtainCertificate.executeWithOptions({ summary: `certificate for ${row.hostname}` }, [
      row.id,
      toldOf(row),
    ]),
  );
