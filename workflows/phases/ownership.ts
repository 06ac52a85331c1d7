import { challengeName } from '../../src/domain/connection/challenge.ts';
import { activitiesOf, localActivities } from '../activities.ts';
import { runPhase } from '../legacy.ts';
import { repeated, reportedStatusOf, type Phase } from '../phase.ts';

/** Checks for the challenge until DNS shows it; after fourteen days the state is `failed`. Writes it first where it can. */
export const proveOwnership: Phase = async (row, touched) => {
  const { checks, work } = activitiesOf(row);
  const summary = `TXT ${challengeName(row.hostname)}`;
  if (row.due === 'write') await work.writeRecords.executeWithOptions({ summary: `write ${summary}` }, [row.id]);
  const input = [row.id, touched, reportedStatusOf(row)] as const;
  return runPhase(
    row,
    () => localActivities.lookForChallenge(...input),
    () => repeated(row, checks.lookForChallenge.executeWithOptions({ summary }, [...input])),
  );
};
