import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { performance } from 'node:perf_hooks';
import type { ConnectionRow } from '../src/db/connection-row.ts';
import { challengeName } from '../src/domain/constants.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';
import type { Subject } from '../src/domain/look.ts';
import { DAY } from '../src/domain/schedule.ts';
import { glimpseOf } from './glimpse-of.ts';
import { lookAgain } from './look-again.ts';
import type { Settled } from './settle.ts';

/** The attempt's own time. Deadlines and schedules know no other clock, so time-skipping tests and restarts agree. */
export function attempt() {
  const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs, attempt: number } = activityInfo();
  const began = performance.now();
  return {
    now,
    first: number === 1,
    signal: cancellationSignal(),
    tookMs: () => performance.now() - began,
    /** A poll returns once a day even if nothing happened, so that its workflow can take up new code. */
    dayIsOver: now - scheduledTimestampMs >= DAY,
  };
}

/** A look that moved its connection on returns it; one that did not fails with the time of the next look. */
export function endLook(
  { row, waitMs }: Settled,
  waiting: ReadonlySet<string>,
  sentence: string,
  dayIsOver: boolean,
): Glimpse {
  if (waitMs === null || !waiting.has(row.state) || dayIsOver) return glimpseOf(row);
  throw lookAgain(sentence, waitMs);
}

export const subjectOf = (row: ConnectionRow): Subject => ({
  tenantId: row.tenant_id,
  hostname: row.hostname,
  challenge: { name: challengeName(row.hostname), value: row.challenge_token },
  desiredRecords: row.desired_records,
  liveAt: row.live_at?.getTime() ?? null,
  nameservers: row.nameservers,
});
