import { aloneWith } from './processes.ts';
import { z } from 'zod';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { RECORD_TYPES, type DnsRecord } from '../../src/domain/record.ts';
import { localZones } from '../../src/provisioning/local-zones.ts';
import type { Credential } from '../../src/providers/contract.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { fromRdata } from '../../src/providers/toolkit/rdata.ts';
import { sandbox } from '../../src/providers/sandbox/adapter.ts';
import type { LocalZones } from '../../src/providers/toolkit/local-zones.ts';
import { publish } from '../../src/db/zone/sandbox-records.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { serverlessConformance } from './conformance.ts';
import type { SeedRecord } from './lab.ts';
import { record } from './suites/given.ts';

let database: TestDatabase;
let pool: Pool;
let tenantId: string;
let zones = 0;
const http = providerHttp();
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'test' });
  tenantId = (await createTenant(pool, 'Test')).tenant_id;
});
afterAll(async () => {
  await http.close();
  await pool.end();
  await database.drop();
});

const openAs = (credential: Credential, store?: LocalZones) =>
  sandbox.open(credential, { ...aloneWith(http), ...(store ? { localZones: store } : {}) });
const open = (zone: string, store = localZones(pool, tenantId)) => openAs({ zone }, store);

/**
 * Returns the content of the zone, bypassing the adapter. The time from which a row is visible is not part of a record.
 */
const dump = async (zone: string): Promise<string[]> => {
  const rows = await pool.anyFirst(sql.type(z.object({ row: z.string() }))`
    SELECT concat_ws(' ', host, ttl, type, priority, value) AS row FROM sandbox_records
    WHERE tenant_id = ${tenantId} AND (host = ${zone} OR host LIKE ${`%.${zone}`})
  `);
  return [...rows].sort();
};

const seeded = (zone: string, { name, type, ttl, rdata }: SeedRecord): DnsRecord => ({
  ...fromRdata(type, rdata),
  host: name === '' ? zone : `${name}.${zone}`,
  type: z.enum(RECORD_TYPES).parse(type),
  ttl,
});

const newZone = async (records: readonly SeedRecord[] = []): Promise<string> => {
  const zone = `zone${++zones}.test`;
  const all = [{ name: '', type: 'NS', ttl: 3_600, rdata: 'ns.sandbox.test.' }, ...records];
  for (const seed of all) await publish(pool, tenantId, seeded(zone, seed), new Date());
  return zone;
};

serverlessConformance('sandbox, on a real Postgres,', () =>
  Promise.resolve({
    descriptor: sandbox.descriptor,
    freshZone: async (records) => {
      const name = await newZone(records);
      return { name, open: () => open(name), dump: () => dump(name) };
    },
    stop: () => Promise.resolve(),
  }),
);

test.each(['customer.com', 'test', 'customer.test.example.org', 'not a name.test'])(
  'a credential for %s is refused: the sandbox is for names under .test',
  (zone) => {
    expect(() => open(zone)).toThrow(/name under \.test/);
  },
);

test('a process without a test environment refuses the credential', async () => {
  const opening = Promise.resolve().then(() => openAs({ zone: 'customer.test' }));
  await expect(opening).rejects.toMatchObject({ name: 'ProviderError', code: 'validation' });
});

test('another tenant’s zone of the same name is another zone', async () => {
  const zone = await newZone();
  const stranger = (await createTenant(pool, 'Stranger')).tenant_id;
  const before = await dump(zone);
  const handle = { id: zone, name: zone, nameservers: [] };

  const theirs = open(zone, localZones(pool, stranger));
  await theirs.apply(handle, { add: [record(`shop.${zone}`, 'TXT', 'theirs')], remove: [] });

  expect(await dump(zone)).toEqual(before);
  expect(await open(zone).records(handle, [`shop.${zone}`])).toEqual([]);
});

test('more concurrent writers than pool connections all succeed', async () => {
  const zone = await newZone();
  const handle = { id: zone, name: zone, nameservers: [] };
  const hosts = Array.from({ length: 20 }, (_, i) => `t${i}.${zone}`);

  await Promise.all(hosts.map((host) => open(zone).apply(handle, { add: [record(host, 'TXT', 'ours')], remove: [] })));

  expect(await open(zone).records(handle, hosts)).toHaveLength(hosts.length);
});

test('one target with two priorities is a conflict, and nothing of the change is written', async () => {
  const zone = await newZone([{ name: '', type: 'MX', ttl: 3_600, rdata: '10 mail.example.net.' }]);
  const before = await dump(zone);
  const add = [record(zone, 'TXT', 'ours'), record(zone, 'MX', 'mail.example.net', { priority: 20 })];

  const attempt = open(zone).apply({ id: zone, name: zone, nameservers: [] }, { add, remove: [] });

  await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
  expect(await dump(zone)).toEqual(before);
});

test('a write whose answer was lost is found by the next attempt and not repeated', async () => {
  const zone = await newZone();
  const handle = { id: zone, name: zone, nameservers: [] };
  const change = { add: [record(`t.${zone}`, 'TXT', 'ours')], remove: [] };
  const real = localZones(pool, tenantId);
  const losing: LocalZones = {
    ...real,
    change: async (name, task) => {
      await real.change(name, task);
      throw new Error('Connection terminated unexpectedly');
    },
  };

  await expect(open(zone, losing).apply(handle, change)).rejects.toMatchObject({
    code: 'transient',
    mayHaveChanged: true,
  });
  expect(await open(zone).apply(handle, change)).toMatchObject({ changed: false, present: [{ value: 'ours' }] });
});

test('a change that fails halfway leaves the zone unchanged', async () => {
  const zone = await newZone();
  const before = await dump(zone);
  const real = localZones(pool, tenantId);
  let added = 0;
  const breaking: LocalZones = {
    ...real,
    change: (name, task) =>
      real.change(name, (records) =>
        task({
          ...records,
          add: (wanted) => (added++ > 0 ? Promise.reject(new Error('broken')) : records.add(wanted)),
        }),
      ),
  };
  const add = [record(`a.${zone}`, 'TXT', 'one'), record(`b.${zone}`, 'TXT', 'two')];

  const attempt = open(zone, breaking).apply({ id: zone, name: zone, nameservers: [] }, { add, remove: [] });

  await expect(attempt).rejects.toMatchObject({ name: 'ProviderError', code: 'transient' });
  expect(added).toBe(2);
  expect(await dump(zone)).toEqual(before);
});

test('an abort ends a call with its own reason before any query', async () => {
  const zone = await newZone();
  const reason = new Error('the connection was archived');
  const call = { signal: AbortSignal.abort(reason) };
  const handle = { id: zone, name: zone, nameservers: [] };

  await expect(open(zone).records(handle, [zone], call)).rejects.toBe(reason);
  await expect(open(zone).apply(handle, { add: [record(zone, 'TXT', 'x')], remove: [] }, call)).rejects.toBe(reason);
  expect(await dump(zone)).toHaveLength(1);
});
