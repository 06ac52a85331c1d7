import { challengeName } from '../../src/domain/connection/constants.ts';
import { activitiesOf, atOnce } from '../activities.ts';
import { hereFirst, round, reportedStatusOf, type Phase } from '../phase.ts';

/** Checks for the challenge until it stands in DNS; fourteen days in vain end in `failed`. Writes it first if we may. */
export const proveOwnership: Phase = async (row, touched) => {
  const { looks, work } = activitiesOf(row);
  const summary = `TXT ${challengeName(row.hostname)}`;
  if (row.due === 'write') await work.writeRecords.executeWithOptions({ summary: `write ${summary}` }, [row.id]);
  return hereFirst(
    row,
    (now) => atOnce.lookForChallenge(row.id, touched, reportedStatusOf(row), now),
    () => round(row, looks.lookForChallenge.executeWithOptions({ summary }, [row.id, touched, reportedStatusOf(row)])),
  );
};
