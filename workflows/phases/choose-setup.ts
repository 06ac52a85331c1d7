import { steps } from '../activities.ts';
import type { Phase } from '../phase.ts';

/** Proved: from here either we write the records, or somebody does it by hand. */
export const chooseSetup: Phase = (row) => steps.chooseSetup(row.id);
