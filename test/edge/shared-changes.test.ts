import pg from 'pg';
import { pino } from 'pino';
import { Admission } from '../../src/edge/admission.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { DatabaseSource } from '../../src/edge/database-source.ts';
import { FeedHub } from '../../src/edge/feed/hub.ts';
import { SharedChanges } from '../../src/edge/shared-changes.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { until } from '../support/until.ts';

const silent = pino({ level: 'silent' });
const randomName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;

let plane: ControlPlane;
let client: pg.Client;
beforeAll(async () => {
  plane = await startControlPlane();
  client = new pg.Client({ connectionString: plane.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await plane.stop();
});

const leases = async () => {
  const { rows } = await client.query<{ epoch: string }>(
    'SELECT epoch FROM admission_leases WHERE expires_at > clock_timestamp()',
  );
  return rows.map(({ epoch }) => epoch);
};

const newCopy = (databaseUrl: string, changes: SharedChanges) =>
  new Admission(new DatabaseSource(databaseUrl, { changes }), silent);

test('a copy and the feed of one process share a lease, and both have every change that was acknowledged', async () => {
  const before = await leases();
  const changes = new SharedChanges(plane.databaseUrl);
  const hub = new FeedHub(plane.databaseUrl, silent, changes);
  await until(() => hub.isReady);
  const copy = newCopy(plane.databaseUrl, changes);
  await until(() => copy.isTrusted);
  expect(await leases()).toHaveLength(before.length + 1);

  const name = randomName();
  const id = await plane.connect(name);
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect((await copy.lookup(name)).standing).toBe('serving');
  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect((await copy.lookup(name)).standing).toBe('archived');

  await hub.stop();
  expect(copy.isTrusted).toBe(true);
  expect(await leases()).toHaveLength(before.length + 1);
  await copy.stop();
  expect(await leases()).toHaveLength(before.length);
});

test('a copy that joins later has the changes of before, and one that leaves is no longer waited for', async () => {
  const changes = new SharedChanges(plane.databaseUrl);
  const first = newCopy(plane.databaseUrl, changes);
  await until(() => first.isTrusted);
  const name = randomName();
  const id = await plane.connect(name);
  const second = newCopy(plane.databaseUrl, changes);
  await until(() => second.isTrusted);
  expect((await second.lookup(name)).standing).toBe('serving');

  await first.stop();
  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect(second.isTrusted).toBe(true);
  expect((await second.lookup(name)).standing).toBe('archived');
  await second.stop();
});

test('a connection that hangs is replaced for all copies, and none answers from old data meanwhile', async () => {
  const proxy = await startFreezingProxy(plane.databaseUrl);
  const changes = new SharedChanges(proxy.url);
  const copies = [newCopy(proxy.url, changes), newCopy(proxy.url, changes)];
  await until(() => copies.every((copy) => copy.isTrusted));
  const name = randomName();
  const id = await plane.connect(name);

  expect(proxy.freezeListeners()).toBe(1);
  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  for (const copy of copies) expect((await copy.lookup(name)).standing).toBe('archived');
  await until(() => copies.every((copy) => copy.isTrusted));
  for (const copy of copies) expect((await copy.lookup(name)).standing).toBe('archived');

  await Promise.all(copies.map((copy) => copy.stop()));
  await proxy.stop();
});
