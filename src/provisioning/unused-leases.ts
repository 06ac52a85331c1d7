import type { Pool } from '../db/pool.ts';
import { endZoneLeases } from '../db/zone/zone-leases.ts';

/** A lease on a zone that this process holds. */
export interface HeldLease {
  zone: string;
  holder: string;
  /** A time before the lease was taken. */
  began: number;
}

/**
 * Time in which leases are collected, to end them by one statement, and in which a connection that is proved writes its
 * records with the lease of its challenge. Other processes wait at most this much longer.
 */
const COLLECTING_MS = 100;
/** Time after which a lease is ended even if this process wants the zone again, because other processes may wait for it. */
const TAKE_OVER_MS = 1_000;

export interface UnusedLeases {
  /** Keeps a lease whose task has ended, and ends it soon. */
  add(lease: HeldLease): void;
  /** Returns this process's unused lease on the zone. If it is ending or too old, waits until it has ended. */
  takeOver(zone: string): Promise<HeldLease | undefined>;
  /** Ends all unused leases. */
  end(): Promise<void>;
}

/** Keeps leases for a moment after their tasks, so that the next task in the same zone needs no statement. */
export function unusedLeases(pool: Pool, clock: () => number): UnusedLeases {
  const unused = new Map<string, HeldLease>();
  const ending = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const leases = [...unused.values()];
    unused.clear();
    if (leases.length > 0) {
      // If this fails, the leases expire.
      const ended = endZoneLeases(pool, leases).catch(() => undefined);
      for (const { zone } of leases) ending.set(zone, ended);
      await ended;
      for (const { zone } of leases) if (ending.get(zone) === ended) ending.delete(zone);
    }
    await Promise.all(ending.values());
  }

  return {
    add(lease) {
      unused.set(lease.zone, lease);
      timer ??= setTimeout(() => void end(), COLLECTING_MS);
    },
    async takeOver(zone) {
      const lease = unused.get(zone);
      if (lease !== undefined && clock() - lease.began < TAKE_OVER_MS) {
        unused.delete(zone);
        return lease;
      }
      if (lease !== undefined) void end();
      await ending.get(zone);
      return undefined;
    },
    end,
  };
}
