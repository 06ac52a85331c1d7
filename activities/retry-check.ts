import { ApplicationFailure } from '@temporalio/activity';

/**
 * Ends a check that changed nothing. The failure is benign: it carries when to check again, costs no history, and its
 * message is the status line that operators read while the connection waits.
 */
export function retryCheck(sentence: string, waitMs: number, next = 'look'): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: 'LookAgain',
    message: `${sentence} Next ${next} in ${readable(waitMs)}.`,
    category: 'BENIGN',
    nextRetryDelay: waitMs,
  });
  failure.stack = ''; // it would stand below the status line and say nothing
  return failure;
}

function readable(ms: number): string {
  if (ms < 90_000) return `${Math.max(1, Math.round(ms / 1_000))} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
