import { setTimeout as pause } from 'node:timers/promises';
import {
  newestChange,
  notifyAgain,
  runningLeases,
  unacknowledged,
  type ChangeNotice,
  type ChangeOf,
} from '../db/edge/admissions.ts';
import { edgesThatMissed, type MissedEdge } from '../db/edge/edges.ts';
import type { Pool } from '../db/pool.ts';
import { ServiceError } from '../domain/errors.ts';

const LIMIT_MS = 10_000;
const LONGEST_PAUSE_MS = 50;
/** The wait, a power of two, after which silent copies are notified again. */
const NOTIFY_AGAIN_AT_MS = 16;

/**
 * Waits until no process can answer from before the last change of this hostname or origin. Called after the commit and
 * before the response, it makes "DELETE returned" mean "refused from now on".
 *
 * Each copy with a lease acknowledges the change, or its lease ends. A copy that starts later has loaded it. A copy
 * that started in between received no notification, so a second one is sent: copies listen before they take a lease.
 */
export async function untilEveryCopyKnows(pool: Pool, of: ChangeOf): Promise<void> {
  const change = await newestChange(pool, of);
  if (change !== null) await untilTaken(pool, change);
}

/** Waits for an archive, and returns a sentence about edges that are cut off, if any. */
export const untilArchiveIsKnown = (pool: Pool, connectionId: string): Promise<string | null> =>
  untilChangeIsKnown(pool, { connectionId }, 'archive');

/** Waits for any change that removes something. */
export async function untilChangeIsKnown(pool: Pool, of: ChangeOf, what: string): Promise<string | null> {
  const change = await newestChange(pool, of);
  if (change === null) return null;
  await untilTaken(pool, change);
  const missed = await edgesThatMissed(pool, change.sequence);
  return missed.length === 0 ? null : sentenceOf(missed, what);
}

function sentenceOf(missed: readonly MissedEdge[], what: string): string {
  const each = missed.map(
    ({ name, heard_at, serves_until }) =>
      `${name} (last heard of at ${heard_at.toISOString()}) until ${serves_until.toISOString()} at the latest`,
  );
  return `Edges that are cut off have not received the ${what} and keep serving until they do: ${each.join('; ')}.`;
}

async function untilTaken(pool: Pool, change: ChangeNotice): Promise<void> {
  let waiting = await runningLeases(pool);
  const end = performance.now() + LIMIT_MS;
  for (let wait = 1; waiting.length > 0; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    waiting = await unacknowledged(pool, waiting, change.sequence);
    if (waiting.length === 0) return;
    if (performance.now() > end)
      throw new ServiceError(
        'unavailable',
        'The change is made, but not every server has confirmed it. Repeat the call.',
      );
    if (wait === NOTIFY_AGAIN_AT_MS) await notifyAgain(pool, change);
    await pause(wait);
  }
}
