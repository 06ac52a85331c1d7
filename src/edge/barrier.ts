import { setTimeout as pause } from 'node:timers/promises';
import { newestChange, notifyAgain, unacknowledged, type AwaitedChange, type ChangeOf } from '../db/edge/admissions.ts';
import { edgesThatMissed, type MissedEdge } from '../db/edge/edges.ts';
import type { Pool } from '../db/pool.ts';
import { ServiceError } from '../domain/errors.ts';

const LIMIT_MS = 10_000;
const LONGEST_PAUSE_MS = 50;
/** Length of the pause before which the notification is sent again. Pauses start at 1 ms and double. */
const NOTIFY_AGAIN_AT_MS = 16;

/**
 * Waits until no copy of the admissions is older than the last change of this hostname or origin. Callers wait after
 * the commit and before the response: once a DELETE has returned, no copy with a lease serves the hostname.
 *
 * Each copy with a lease acknowledges the change, or its lease ends. A copy that starts later loads the change. A copy
 * that started in between missed the notification, so it is sent again: copies listen before they take a lease.
 */
export async function untilEveryCopyKnows(pool: Pool, of: ChangeOf): Promise<void> {
  const awaited = await newestChange(pool, of);
  if (awaited !== null) await untilAcknowledged(pool, awaited);
}

/** Waits until the archiving of a connection is known, and returns a sentence about edges that are cut off, if any. */
export const untilArchiveIsKnown = (pool: Pool, connectionId: string): Promise<string | null> =>
  untilChangeIsKnown(pool, { connectionId }, 'archive');

/**
 * Waits until a change is known, and returns a sentence about edges that are cut off, if any. An edge without a lease
 * is cut off from the database, and serves from its own copy for a limited time. `what` names the change.
 */
export async function untilChangeIsKnown(pool: Pool, of: ChangeOf, what: string): Promise<string | null> {
  const awaited = await newestChange(pool, of);
  if (awaited === null) return null;
  await untilAcknowledged(pool, awaited);
  const missed = await edgesThatMissed(pool, awaited.change);
  return missed.length === 0 ? null : sentenceOf(missed, what);
}

function sentenceOf(missed: readonly MissedEdge[], what: string): string {
  const each = missed.map(
    ({ name, heard_at, serves_until }) =>
      `${name} (last heard of at ${heard_at.toISOString()}) until ${serves_until.toISOString()} at the latest`,
  );
  return `Edges that are cut off have not received the ${what} and keep serving until they do: ${each.join('; ')}.`;
}

/** Waits until every copy has acknowledged the change, which its sequence identifies, or the copy's lease has ended. */
async function untilAcknowledged(pool: Pool, { change, ...awaited }: AwaitedChange): Promise<void> {
  let { waiting }: { waiting: readonly string[] } = awaited;
  const end = performance.now() + LIMIT_MS;
  for (let wait = 1; waiting.length > 0; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    if (performance.now() > end)
      throw new ServiceError(
        'unavailable',
        'The change is made, but not every server has confirmed it. Repeat the call.',
      );
    if (wait === NOTIFY_AGAIN_AT_MS) await notifyAgain(pool, change);
    await pause(wait);
    waiting = await unacknowledged(pool, waiting, change.sequence);
  }
}
