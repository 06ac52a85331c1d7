import type { Pool } from '../db/pool.ts';
import { allRecordsAt, lockZone, publish, removeValue } from '../db/zone/sandbox-records.ts';
import type { LocalZones } from '../providers/toolkit/local-zones.ts';

/** Returns a tenant's sandbox. Lock and change share a transaction: waiting for a second connection could starve. */
export const localZones = (pool: Pool, tenantId: string): LocalZones => ({
  read: (hosts) => allRecordsAt(pool, tenantId, hosts),
  change: (zone, task) =>
    pool.transaction(async (tx) => {
      await lockZone(tx, tenantId, zone);
      return task({
        read: (hosts) => allRecordsAt(tx, tenantId, hosts),
        add: (record) => publish(tx, tenantId, record, new Date()),
        remove: (record) => removeValue(tx, tenantId, record),
      });
    }, 0),
});
