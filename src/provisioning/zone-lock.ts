import { hash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../db/pool.ts';
import { extendZoneLease, takeZoneLease } from '../db/zone/zone-leases.ts';
import type { Call } from '../providers/call.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { rethrowAbort } from '../providers/toolkit/http.ts';
import {
  inProcessZoneLock,
  type Lease,
  LOCK_PATIENCE_MS,
  type ZoneLock,
  zoneIsBusy,
} from '../providers/toolkit/zone-lock.ts';
import { unusedLeases, type HeldLease } from './unused-leases.ts';

/** Longer than one request to a provider, so that a lease confirmed before a request outlives it. */
const LEASE_MS = 60_000;
/** A lease that was taken this recently needs no confirmation: it outlives a request, which takes 30 s at most. */
const FRESH_MS = 15_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** A zone lock that keeps a lease for a moment after its task. */
export interface SharedZoneLock extends ZoneLock {
  /** Ends the leases whose tasks have ended. A process calls this before it closes its pool. */
  close(): Promise<void>;
}

/** Allows one writer per zone in the whole installation. The lease is a row, so no connection is held in between. */
export function sharedZoneLock(pool: Pool, clock: () => number = () => performance.now()): SharedZoneLock {
  const queue = inProcessZoneLock();
  const unused = unusedLeases(pool, clock);
  return {
    run: (key, task, call = {}) =>
      queue.run(
        key,
        async () => {
          const zone = hash('sha256', key, 'base64url');
          const held = (await unused.takeOver(zone)) ?? (await acquire(pool, zone, clock, call));
          try {
            return await task(leaseOf(pool, held, () => clock() - held.began));
          } finally {
            unused.add(held);
          }
        },
        call,
      ),
    close: () => unused.end(),
  };
}

async function acquire(pool: Pool, zone: string, clock: () => number, { signal, timeoutMs }: Call): Promise<HeldLease> {
  const end = performance.now() + Math.min(timeoutMs ?? LOCK_PATIENCE_MS, LOCK_PATIENCE_MS);
  const held = { zone, holder: randomUUID(), began: clock() };
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    rethrowAbort(signal);
    if (await takeZoneLease(pool, zone, held.holder, LEASE_MS)) return held;
    if (signal?.aborted || performance.now() + wait > end) throw zoneIsBusy();
    await pause(wait, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** `age` is at least the time since the lease was taken. */
const leaseOf = (pool: Pool, { zone, holder }: HeldLease, age: () => number): Lease => ({
  confirm: async () => {
    if (age() < FRESH_MS) return;
    if (await extendZoneLease(pool, zone, holder, LEASE_MS)) return;
    throw new ProviderError('transient', 'The lock of this zone ran out before the change was written; try again.');
  },
});
