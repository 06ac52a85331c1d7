import { challengeName } from '../../src/domain/constants.ts';
import { looks } from '../activities.ts';
import { round, type Phase } from '../phase.ts';

/** Looks for the challenge until it stands in DNS; fourteen days of looking in vain end in `failed`. */
export const proveOwnership: Phase = (row, touched) =>
  round(
    row,
    looks.lookForChallenge.executeWithOptions({ summary: `TXT ${challengeName(row.hostname)}` }, [row.id, touched]),
  );
