import { makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import { DAY } from '../src/domain/duration.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { labelsOf, type ConnectionInput, type ConnectionWorkflow } from './messages.ts';

const RENEW_AFTER = 7 * DAY;
const RENEW_AT_EVENTS = 100;
/** Limit of runs that began before the patch. */
const RENEWED_AT_EVENTS = 500;

/** Whether the run should continue as new: weekly, or after many events. Activities return daily to allow it. */
export function isDueToRenew({ continueAsNewAfter }: ConnectionInput): boolean {
  const { historyLength, continueAsNewSuggested, runStartTime } = workflowInfo();
  if (continueAsNewSuggested || historyLength > (continueAsNewAfter ?? RENEWED_AT_EVENTS)) return true;
  const isOld = Date.now() - runStartTime.getTime() >= RENEW_AFTER;
  return (isOld || historyLength > RENEW_AT_EVENTS) && patched('renew-weekly');
}

/** Continues as new with the search attributes of today's code. */
export const renew = (input: ConnectionInput, row: ConnectionSnapshot): Promise<never> =>
  makeContinueAsNewFunc<ConnectionWorkflow>({ typedSearchAttributes: labelsOf(row) })(input);
