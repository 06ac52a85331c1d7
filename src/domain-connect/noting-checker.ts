import { keepOffer } from '../db/zone/domain-connect.ts';
import type { Pool } from '../db/pool.ts';
import type { Checker } from '../domain/observation/check.ts';
import type { DcOffer } from '../domain/zone/domain-connect.ts';
import { BoundedMap } from '../net/bounded-map.ts';

const LOOK_AGAIN_AFTER_MS = 3_600_000;
/** Connections that wait for their proof in this process at one time. */
const MAX_REMEMBERED = 10_000;

interface Parts {
  pool: Pool;
  offerFor(hostname: string, signal: AbortSignal): Promise<DcOffer | null>;
}

/**
 * Beside the first look for a connection's challenge, and again each hour, finds out what its DNS provider offers by
 * Domain Connect and keeps it, so that reading the connection asks nobody. The look itself does not depend on it.
 */
export function createOfferNotes({ pool, offerFor }: Parts) {
  const noted = new BoundedMap<string, number>(MAX_REMEMBERED);

  function isDue(id: string, now: number): boolean {
    const before = noted.get(id);
    if (before !== undefined && now - before < LOOK_AGAIN_AFTER_MS) return false;
    noted.set(id, now);
    return true;
  }

  async function note(
    connection: { id: string; tenant_id: string; hostname: string },
    now: number,
    signal: AbortSignal,
  ) {
    if (!isDue(connection.id, now)) return;
    await keepOffer(pool, connection, await offerFor(connection.hostname, signal), new Date(now));
  }

  /** The same checker for this connection, which also takes note. What goes wrong with the note is tried again later. */
  return (checker: Checker, connection: { id: string; tenant_id: string; hostname: string }): Checker => ({
    ...checker,
    async challenge(subject, now, signal) {
      const noting = note(connection, now, signal).catch(() => noted.delete(connection.id));
      const check = await checker.challenge(subject, now, signal);
      await noting;
      return check;
    },
  });
}
