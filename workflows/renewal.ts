import { makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import { DAY } from '../src/domain/connection/schedule.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { labelsOf, type ConnectionInput, type ConnectionWorkflow } from './messages.ts';

const RENEW_AFTER = 7 * DAY;
const RENEW_AT_EVENTS = 100;
/** What runs from before the patch keep to while they are replayed. */
const RENEWED_AT_EVENTS = 500;

/**
 * A run makes room for a new one weekly, or when much has happened in it: the new one knows only today's code, so that no
 * patch is needed for longer, and a worker replays it in a tenth of a second. A poll returns daily, so nothing keeps a
 * run from it.
 */
export function isDueToRenew({ continueAsNewAfter }: ConnectionInput): boolean {
  const { historyLength, continueAsNewSuggested, runStartTime } = workflowInfo();
  if (continueAsNewSuggested || historyLength > (continueAsNewAfter ?? RENEWED_AT_EVENTS)) return true;
  const isOld = Date.now() - runStartTime.getTime() >= RENEW_AFTER;
  return (isOld || historyLength > RENEW_AT_EVENTS) && patched('renew-weekly');
}

/** The next run is labelled anew: it has the labels of today's code, and none of the patches that this one took. */
export const renew = (input: ConnectionInput, row: ConnectionSnapshot): Promise<never> =>
  makeContinueAsNewFunc<ConnectionWorkflow>({ typedSearchAttributes: labelsOf(row) })(input);
