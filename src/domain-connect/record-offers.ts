import { keepOffer, templateOf } from '../db/zone/domain-connect.ts';
import type { Pool } from '../db/pool.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import type { Checker } from '../domain/observation/check.ts';
import type { DcOffer } from '../domain/zone/domain-connect.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import { ownService } from './own-service.ts';

const REFRESH_AFTER_MS = 3_600_000;
/** Maximum number of connections in memory. Only connections that wait for proof of ownership are recorded. */
const MAX_RECORDED = 10_000;

interface Parts {
  pool: Pool;
  edge: EdgeTargets;
  offerFor(hostname: string, signal: AbortSignal, own: readonly string[]): Promise<DcOffer | null>;
}

/**
 * Wraps the checker of a connection, which checks the challenge and the records. The first challenge check, and later
 * one in an hour, also saves the DNS provider's offer to set up the records by Domain Connect.
 */
export function recordOffers({ pool, edge, offerFor }: Parts) {
  const recordedAt = new BoundedMap<string, number>(MAX_RECORDED);

  function isDue(id: string, now: number): boolean {
    const before = recordedAt.get(id);
    if (before !== undefined && now - before < REFRESH_AFTER_MS) return false;
    recordedAt.set(id, now);
    return true;
  }

  async function record(
    connection: { id: string; tenant_id: string; hostname: string },
    now: number,
    signal: AbortSignal,
  ) {
    if (!isDue(connection.id, now)) return;
    const { record_template, kind } = await templateOf(pool, connection);
    const own = ownService(record_template, kind, edge);
    const offer = await offerFor(connection.hostname, signal, own === null ? [] : [own.serviceId]);
    await keepOffer(pool, connection, offer, new Date(now));
  }

  /** Returns the wrapped checker. If the offer cannot be saved, the next check tries again. */
  return (checker: Checker, connection: { id: string; tenant_id: string; hostname: string }): Checker => ({
    ...checker,
    async challenge(subject, now, signal) {
      const recording = record(connection, now, signal).catch(() => recordedAt.delete(connection.id));
      const check = await checker.challenge(subject, now, signal);
      await recording;
      return check;
    },
  });
}
