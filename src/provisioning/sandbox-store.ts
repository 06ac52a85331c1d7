import type { Pool } from '../db/pool.ts';
import type { SandboxStore } from '../providers/sandbox/store.ts';
import { publish, removeValue, allRecordsAt } from '../db/sandbox-records.ts';
import { holdLock } from './lock.ts';

/**
 * A tenant's sandbox as its credentials may use it. Lock and change share a transaction: a change that held one
 * connection and waited for a second could starve behind others of its kind.
 */
export const sandboxStore = (pool: Pool, tenantId: string): SandboxStore => ({
  read: (hosts) => allRecordsAt(pool, tenantId, hosts),
  change: (zone, task) =>
    pool.transaction(async (tx) => {
      await holdLock(tx, `sandbox ${tenantId} ${zone}`);
      return task({
        read: (hosts) => allRecordsAt(tx, tenantId, hosts),
        add: (record) => publish(tx, tenantId, record, new Date()),
        remove: (record) => removeValue(tx, tenantId, record),
      });
    }, 0),
});
