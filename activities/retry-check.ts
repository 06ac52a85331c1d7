import { ApplicationFailure } from '@temporalio/activity';

/** Ends a check that changed nothing, without an event in the history. Operators see the message as the status. */
export function retryCheck(sentence: string, waitMs: number, next: 'check' | 'attempt' = 'check'): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: 'RetryCheck',
    message: `${sentence} Next ${next} in ${readable(waitMs)}.`,
    category: 'BENIGN',
    nextRetryDelay: waitMs,
  });
  failure.stack = ''; // the Temporal UI would print it below the status line
  return failure;
}

function readable(ms: number): string {
  if (ms < 90_000) return `${Math.max(1, Math.round(ms / 1_000))} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
