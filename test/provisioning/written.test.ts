import { z } from 'zod';
import { deleteCredential } from '../../src/db/credentials.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenants.ts';
import type { State } from '../../src/domain/connection.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { writeRecords } from '../../src/provisioning/write.ts';
import { publish } from '../../src/db/sandbox-records.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testProviderAccess } from '../support/provider-access.ts';
import { newConnection } from '../support/new-connection.ts';

const { signal } = new AbortController();
let database: TestDatabase;
let pool: Pool;
let providerAccess: ProviderAccess;
let tenant: NewTenant;
let zones = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'provisioning' });
  providerAccess = testProviderAccess(pool);
  tenant = await createTenant(pool, 'Provisioning');
});
afterAll(async () => {
  await providerAccess.http.close();
  await pool.end();
  await database.drop();
});

/** A connection to a zone that we may write, as its customer left it. */
async function customerWith(...records: Pick<DnsRecord, 'type' | 'value' | 'priority'>[]) {
  const hostname = `shop.zone${++zones}.test`;
  const zone = hostname.slice('shop.'.length);
  const at = (record: (typeof records)[number]): DnsRecord => ({ host: hostname, ttl: 300, ...record });
  for (const record of records) await publish(pool, tenant.tenant_id, at(record), new Date());
  const credentialFor = async (name: string) => {
    const given = { tenantId: tenant.tenant_id, provider: 'sandbox', credential: { zone: name } };
    const health = await preflight(providerAccess, given);
    const owned = { ...given, applicationId: tenant.test.application_id, label: null };
    return pool.transaction((tx) => keepCredential(providerAccess, tx, owned, health));
  };
  const { id } = await credentialFor(zone);
  const connection = await newConnection(pool, tenant, hostname);
  return {
    write: async (...wanted: typeof records) => {
      const options = { policy: 'replace', now: new Date(), signal } as const;
      expect(await writeRecords(providerAccess, connection, wanted.map(at), options)).toMatchObject({
        outcome: 'written',
      });
    },
    rotate: async (newZone = zone) => {
      await credentialFor(newZone);
      return { deleteFirst: () => deleteCredential(pool, id) };
    },
    hostname,
    archive: () => setState(connection.id, 'archived'),
    undo: () => removeWritten(providerAccess, connection.id, { now: new Date(), signal }),
    standing: async () =>
      [
        ...(await pool.anyFirst(sql.type(z.object({ text: z.string() }))`
          SELECT concat_ws(' ', type, priority, value) AS text FROM sandbox_records
          WHERE tenant_id = ${tenant.tenant_id} AND host = ${hostname}
        `)),
      ].sort(),
  };
}

async function setState(id: string, state: State): Promise<void> {
  await pool.query(sql.type(none)`UPDATE connections SET state = ${state} WHERE id = ${id}`);
}

const a = (value: string) => ({ type: 'A', value, priority: null }) as const;
const aaaa = { type: 'AAAA', value: '2001:db8::1', priority: null } as const;
const mx = (value: string, priority: number) => ({ type: 'MX', value, priority }) as const;

test('what was displaced comes back although the value that displaced it went first', async () => {
  const customer = await customerWith(a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), aaaa);
  expect(await customer.standing()).toEqual(['A 192.0.2.2', 'AAAA 2001:db8::1']);
  await customer.write(a('192.0.2.2'));
  expect(await customer.standing()).toEqual(['A 192.0.2.2']);
  expect(await customer.undo()).toMatchObject({ outcome: 'removed' });
  expect(await customer.standing()).toEqual(['A 192.0.2.1']);
});

test('a value that goes takes no other of its name out of the ledger', async () => {
  const customer = await customerWith();
  await customer.write(mx('mail.example.net', 10), mx('backup.example.net', 20));
  await customer.write(mx('mail.example.net', 10));
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.standing()).toEqual([]);
});

test('written twice is written once, and undo leaves the rest of the name alone', async () => {
  const customer = await customerWith({ type: 'TXT', value: 'theirs', priority: null });
  for (let i = 0; i < 2; i++) await customer.write(a('192.0.2.2'), { type: 'TXT', value: 'ours', priority: null });
  expect(await customer.standing()).toEqual(['A 192.0.2.2', 'TXT ours', 'TXT theirs']);
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 2 });
  expect(await customer.standing()).toEqual(['TXT theirs']);
});

test('a credential that took the place of the one that wrote removes what that one wrote', async () => {
  const customer = await customerWith();
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate();
  await deleteFirst();
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.standing()).toEqual([]);
});

test('a place that cannot be cleaned any more does not keep us from cleaning the others', async () => {
  const customer = await customerWith();
  const ours = { type: 'TXT', value: 'ours', priority: null } as const;
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate(customer.hostname);
  await customer.write(a('192.0.2.2'), ours);
  await deleteFirst();
  expect(await customer.undo()).toMatchObject({ outcome: 'impossible' });
  expect(await customer.standing()).toEqual(['A 192.0.2.2']);
});

describe('what an archived connection wrote, and the one that took its place wants too', () => {
  const cname = { type: 'CNAME', value: 'edge.example.net', priority: null } as const;

  test('outlives a late clean-up, and goes when the new one of the same application goes', async () => {
    const customer = await customerWith(a('192.0.2.1'));
    await customer.write(cname);
    await customer.archive();
    const heir = await newConnection(pool, tenant, customer.hostname, { target: cname.value });
    expect(await customer.undo()).toEqual({ outcome: 'removed', values: 0 });
    expect(await customer.standing()).toEqual(['CNAME edge.example.net']);
    await setState(heir.id, 'archived');
    expect(await removeWritten(providerAccess, heir.id, { now: new Date(), signal })).toEqual({
      outcome: 'removed',
      values: 1,
    });
    expect(await customer.standing()).toEqual(['A 192.0.2.1']);
  });

  test('is left to another tenant that has proved the name, and to nobody who has not', async () => {
    const stranger = await createTenant(pool, 'Stranger');
    for (const state of ['pending_ownership', 'live'] as const) {
      const customer = await customerWith();
      await customer.write(cname);
      await customer.archive();
      const other = await newConnection(pool, stranger, customer.hostname, { target: cname.value });
      await setState(other.id, state);
      await customer.undo();
      expect(await customer.standing()).toEqual(state === 'live' ? ['CNAME edge.example.net'] : []);
    }
  });
});
