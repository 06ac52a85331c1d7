import { challengeName } from '../../src/domain/constants.ts';
import { activitiesOf } from '../activities.ts';
import { round, toldOf, type Phase } from '../phase.ts';

/** Checks for the challenge until it stands in DNS; fourteen days in vain end in `failed`. Writes it first if we may. */
export const proveOwnership: Phase = async (row, touched) => {
  const { looks, work } = activitiesOf(row);
  const summary = `TXT ${challengeName(row.hostname)}`;
  if (row.due === 'write') await work.writeRecords.executeWithOptions({ summary: `write ${summary}` }, [row.id]);
  return round(row, looks.lookForChallenge.executeWithOptions({ summary }, [row.id, touched, toldOf(row)]));
};
