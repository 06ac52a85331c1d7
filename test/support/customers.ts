import { z } from 'zod';
import { deleteCredential } from '../../src/db/zone/credentials.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { publish } from '../../src/db/zone/sandbox-records.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import type { Purpose } from '../../src/domain/zone/plan.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { writeRecords } from '../../src/provisioning/write.ts';
import { createTestDatabase } from './database.ts';
import { newConnection } from './new-connection.ts';
import { testProviderAccess } from './provider-access.ts';

export type Value = Pick<DnsRecord, 'type' | 'value' | 'priority'>;
export type Customers = Awaited<ReturnType<typeof openCustomers>>;

export const a = (value: string): Value => ({ type: 'A', value, priority: null });
export const cname = (value: string): Value => ({ type: 'CNAME', value, priority: null });
export const txt = (value: string): Value => ({ type: 'TXT', value, priority: null });

const { signal } = new AbortController();

/** Customers whose zones lie in the sandbox and may be written by us, over a database of their own. */
export async function openCustomers() {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 4, name: 'customers' });
  const providerAccess = testProviderAccess(pool);
  const tenant = await createTenant(pool, 'Customers');
  let zones = 0;
  return {
    pool,
    tenant,
    providerAccess,
    /** A connection to a zone that we may write, as its customer left it. */
    with: (...records: Value[]) => openCustomer({ pool, tenant, providerAccess }, `zone${++zones}.test`, records),
    async close() {
      await providerAccess.http.close();
      await pool.end();
      await database.drop();
    },
  };
}

interface Parts {
  pool: Pool;
  tenant: NewTenant;
  providerAccess: ProviderAccess;
}

async function openCustomer({ pool, tenant, providerAccess }: Parts, zone: string, records: Value[]) {
  const hostname = `shop.${zone}`;
  const at = (record: Value): DnsRecord => ({ host: hostname, ttl: 300, ...record });
  const credentialFor = async (name: string) => {
    const given = { tenantId: tenant.tenant_id, provider: 'sandbox', credential: { zone: name } };
    const health = await preflight(providerAccess, given);
    const owned = { ...given, applicationId: tenant.test.application_id, label: null };
    return pool.transaction((tx) => keepCredential(providerAccess, tx, owned, health));
  };
  /** What the customer does at the provider: afterwards exactly this stands at the name. */
  async function set(...standing: Value[]): Promise<void> {
    await pool.query(sql.type(none)`
      DELETE FROM sandbox_records WHERE tenant_id = ${tenant.tenant_id} AND host = ${hostname}
    `);
    for (const record of standing) await publish(pool, tenant.tenant_id, at(record), new Date());
  }
  await set(...records);
  const { id } = await credentialFor(zone);
  const connection = await newConnection(pool, tenant, hostname);
  const attempt = (purpose: Purpose, wanted: Value[]) =>
    writeRecords(providerAccess, connection, wanted.map(at), { policy: 'replace', now: new Date(), signal, purpose });
  return {
    hostname,
    connection,
    set,
    write: async (...wanted: Value[]) => {
      expect(await attempt('connection', wanted)).toMatchObject({ outcome: 'written' });
    },
    writeMail: async (...wanted: Value[]) => {
      expect(await attempt('email', wanted)).toMatchObject({ outcome: 'written' });
    },
    /** The provider refuses it after the plan was made: the sandbox holds a value once, whatever its priority. */
    writeRefused: async (...wanted: Value[]) => {
      const [standing, twin] = [10, 20].map((priority) => ({ type: 'SRV', value: '0 443 x.test', priority }) as const);
      await publish(pool, tenant.tenant_id, at(standing!), new Date());
      expect(await attempt('connection', [...wanted, twin!])).toMatchObject({ outcome: 'refused' });
      await pool.query(sql.type(none)`DELETE FROM sandbox_records WHERE type = 'SRV' AND host = ${hostname}`);
    },
    rotate: async (newZone = zone) => {
      await credentialFor(newZone);
      return { deleteFirst: () => deleteCredential(pool, id) };
    },
    archive: () => setState(pool, connection.id, 'archived'),
    undo: (purpose: Purpose = 'connection') =>
      removeWritten(providerAccess, connection.id, { purpose, now: new Date(), signal }),
    standing: async () =>
      [
        ...(await pool.anyFirst(sql.type(z.object({ text: z.string() }))`
          SELECT concat_ws(' ', type, priority, value) AS text FROM sandbox_records
          WHERE tenant_id = ${tenant.tenant_id} AND host = ${hostname}
        `)),
      ].sort(),
  };
}

export async function setState(pool: Pool, id: string, state: State): Promise<void> {
  await pool.query(sql.type(none)`UPDATE connections SET state = ${state} WHERE id = ${id}`);
}
