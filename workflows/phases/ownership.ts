import { challengeName } from '../../src/domain/constants.ts';
import { looks, work } from '../activities.ts';
import { round, type Phase } from '../phase.ts';

/** Looks for the challenge until it stands in DNS; fourteen days of looking in vain end in `failed`. Writes it first if we may. */
export const proveOwnership: Phase = async (row, touched) => {
  const summary = `TXT ${challengeName(row.hostname)}`;
  if (row.due === 'write') await work.writeRecords.executeWithOptions({ summary: `write ${summary}` }, [row.id]);
  return round(row, looks.lookForChallenge.executeWithOptions({ summary }, [row.id, touched]));
};
