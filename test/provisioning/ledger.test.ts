import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { ledgerOf } from '../../src/db/zone/ledger.ts';
import { changedLedger } from '../../src/domain/zone/ledger-patches.ts';
import type { LedgerChange, WriteContext } from '../../src/domain/zone/ledger-rows.ts';
import type { Addition } from '../../src/domain/zone/zone-record.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
let connections = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'ledger' });
  tenant = await createTenant(pool, 'Ledger');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const CREDENTIAL = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const AT = new Date('2026-11-17T00:00:00.123Z');
const location = { credential_id: CREDENTIAL, provider: 'p', zone_id: 'z', zone_name: 'example.com' };
const context: WriteContext = { purpose: 'connection', location, now: AT };

async function open() {
  const row: ConnectionRow = await newConnection(pool, tenant, `shop${++connections}.example.com`);
  const record = (value: string, more: Partial<Addition> = {}): Addition => ({ host: row.hostname, type: 'A', value, ttl: 300, priority: null, ...more }); // prettier-ignore
  const add = (value: string, more?: Partial<Addition>): LedgerChange => ({ kind: 'add value', value: record(value, more), context }); // prettier-ignore
  const layer = (value: string, host = row.hostname): LedgerChange => ({
    kind: 'add layer',
    layer: { host, records: [{ ...record(value), id: null, readOnly: false, extra: null }], whole: true },
    context,
  });
  return { ledger: ledgerOf(pool, row), add, layer };
}

test('every change of a decision is saved, and the rows equal those that the domain expects', async () => {
  const { ledger, add, layer } = await open();
  const changes = [
    add('192.0.2.2', { extra: { proxied: true } }),
    layer('198.51.100.1'),
    add('192.0.2.1', { priority: 10 }),
    layer('198.51.100.2', 'www.example.com'),
  ];
  const before = await ledger.read();
  const added = await ledger.save(changes);
  const after = await ledger.read();
  expect(after.values).toEqual(changedLedger(before, changes, added).values);
  expect(after.layers).toEqual(changedLedger(before, changes, added).layers);

  const [first, second] = after.values.map(({ id }) => id);
  const [under, over] = after.layers.map(({ id }) => id);
  const more: LedgerChange[] = [
    { kind: 'confirm value', id: first!, ttl: 60, recordId: 'r1' },
    { kind: 'move value', id: first!, credentialId: OTHER },
    { kind: 'close value', id: second!, status: 'removed' },
    { kind: 'confirm layer', id: under!, records: [] },
    { kind: 'move layer', id: under!, credentialId: OTHER },
    { kind: 'close layer', id: over!, status: 'withdrawn' },
  ];
  await ledger.save(more);
  const last = await ledger.read();
  expect(last.values).toEqual(changedLedger(after, more, { values: [], layers: [] }).values);
  expect(last.layers).toEqual(changedLedger(after, more, { values: [], layers: [] }).layers);
  expect(last.values).toMatchObject([{ status: 'standing', ttl: 60, credential_id: OTHER, extra: { proxied: true } }]);
});

test('a decision can close a value and add an equal one', async () => {
  const { ledger, add } = await open();
  const { values } = await ledger.save([add('192.0.2.1')]);
  await ledger.save([{ kind: 'close value', id: values[0]!, status: 'surrendered' }, add('192.0.2.1')]);
  const { values: after } = await ledger.read();
  expect(after).toMatchObject([{ value: '192.0.2.1', status: 'intended' }]);
  expect(after[0]!.id).not.toBe(values[0]);
});

test('a value that another process has just added keeps its row, which is not ours', async () => {
  const { ledger, add } = await open();
  const { values } = await ledger.save([add('192.0.2.1')]);
  const second = await ledger.save([add('192.0.2.1'), add('192.0.2.2'), add('192.0.2.2')]);
  expect(second.values).toEqual([null, expect.any(String), null]);
  expect((await ledger.read()).values.map(({ id }) => id).toSorted()).toEqual([values[0], second.values[1]].toSorted());
});

test('a row that another process has closed stays closed', async () => {
  const { ledger, add, layer } = await open();
  const { values, layers } = await ledger.save([add('192.0.2.1'), layer('198.51.100.1')]);
  await ledger.save([
    { kind: 'close value', id: values[0]!, status: 'surrendered' },
    { kind: 'close layer', id: layers[0]!, status: 'surrendered' },
  ]);
  await ledger.save([
    { kind: 'confirm value', id: values[0]!, ttl: 300, recordId: null },
    { kind: 'confirm layer', id: layers[0]!, records: [] },
  ]);
  expect(await ledger.read()).toMatchObject({ values: [], layers: [] });
});
