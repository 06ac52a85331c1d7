import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { getEndpoint } from '../../src/db/webhook/endpoints.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { startTemporal, type Temporal } from '../../src/embedded/temporal.ts';
import { searchAttributeTypes } from '../../src/temporal/search-attributes.ts';
import { openVault } from '../../src/vault/vault.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startWorkerProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { Receiver, type Received } from '../support/doubles/receiver.ts';
import { subscribe } from '../support/fixtures/subscribe.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Runs workers in separate processes and kills them with SIGKILL, like a machine that loses power. */
jest.setTimeout(240_000);
const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
const STORY = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];
const CONNECTIONS_EACH = 3;

let database: TestDatabase;
let temporal: Temporal;
let tenant: NewTenant;
let access: { pool: Pool; vault: ReturnType<typeof openVault> };
let receiver: Receiver;
let worker: HalfProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 5, name: 'test' });
  access = { pool, vault: openVault(KEYS) };
  tenant = await createTenant(pool, 'Killed');
  const [port, uiPort] = await freePorts([undefined, undefined]);
  temporal = await startTemporal({
    executable: process.env['TEMPORAL_CLI_PATH']!,
    dbFile: join(await tempFolder(), 'temporal.db'),
    port,
    uiPort,
    searchAttributes: searchAttributeTypes(),
    onProgress: () => undefined,
  });
  receiver = await Receiver.start();
  const { secret } = await subscribe(access, tenant, { url: receiver.url });
  receiver.secrets = [secret];
  worker = await startWorker();
});
afterAll(async () => {
  await worker.stop();
  await receiver.stop();
  await temporal.stop();
  await access.pool.end();
  await database.drop();
});

const startWorker = () =>
  startWorkerProcess(database.url, {
    TEMPORAL_ADDRESS: temporal.address,
    CREDENTIAL_KEYS: KEYS,
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1',
    EDGE: 'off',
  });

async function connect(): Promise<string> {
  const name = `${randomUUID().slice(0, 8)}.auto.test`;
  return (await newConnection(access.pool, tenant, name, { target: 'edge.localhost' })).id;
}

const about = ({ event }: Received) => ('connection' in event.data ? event.data.connection.id : '');

/** Moments at which the worker dies: after a connection is created, or when one of its events reaches the receiver. */
const MOMENTS = [
  ['created', 'immediately'],
  ['domain.added', 'before it is answered'],
  ['domain.verified', 'as it is answered'],
  ['ssl.issued', 'before it is answered'],
  ['domain.flow.completed', 'once it is logged'],
] as const;

async function dieAt([what, when]: (typeof MOMENTS)[number]): Promise<{ ids: string[]; last: Received | undefined }> {
  const ids: string[] = [];
  let last: Received | undefined;
  let isDead = false;
  const die = () => {
    isDead = process.kill(worker.pid, 'SIGKILL');
  };
  receiver.answer = (response, received) => {
    const isMoment = last === undefined && received.event.type === what && ids.includes(about(received));
    if (isMoment) last = received;
    if (isMoment && when === 'before it is answered') {
      die();
      response.destroy();
      return;
    }
    response.writeHead(204).end();
    if (isMoment && when === 'as it is answered') die();
    if (isMoment && when === 'once it is logged')
      void until(async () => (await statusOf(String(received.headers['x-svc-delivery-id']))) === 'delivered').then(die);
  };
  while (ids.length < CONNECTIONS_EACH) ids.push(await connect());
  if (what === 'created') die();
  await until(() => isDead, 60_000);
  await worker.stop('SIGKILL');
  return { ids, last };
}

const statusOf = (deliveryId: string): Promise<string | null> =>
  access.pool.maybeOneFirst(sql.type(z.object({ status: z.string() }))`
    SELECT status FROM webhook_deliveries WHERE id = ${deliveryId}
  `);

test('killed at five moments, the worker sends each connection’s events without gaps or duplicates, and resends events that were posted but not logged', async () => {
  const ids: string[] = [];
  const cutOff: Received[] = [];
  for (const moment of MOMENTS) {
    const death = await dieAt(moment);
    ids.push(...death.ids);
    if (death.last !== undefined && moment[1] === 'before it is answered') cutOff.push(death.last);
    worker = await startWorker();
  }
  receiver.answer = (response) => response.writeHead(204).end();
  await until(async () => (await unfinished()) === 0, 150_000);

  const recorded = await access.pool.any(sql.type(EventSequence)`
    SELECT connection_id, array_agg(sequence ORDER BY sequence) AS sequences, array_agg(type ORDER BY sequence) AS types
    FROM events GROUP BY connection_id
  `);
  expect(recorded.map(({ connection_id }) => connection_id).toSorted()).toEqual(ids.toSorted());
  for (const { sequences, types } of recorded)
    expect({ sequences, types }).toEqual({ sequences: [1, 2, 3, 4], types: STORY });

  expect(receiver.received.filter(({ isGenuine }) => !isGenuine)).toEqual([]);
  for (const id of ids) {
    const received = receiver.received.filter((one) => about(one) === id).map(({ event }) => event);
    const facts = new Map(received.map((event) => [event.id, `${event.sequence} ${event.type}`]));
    expect([...facts.values()].toSorted()).toEqual(STORY.map((type, index) => `${index + 1} ${type}`));
  }
  expect(cutOff).toHaveLength(2);
  for (const first of cutOff) {
    const again = receiver.received.find((one) => one !== first && one.event.id === first.event.id)!;
    expect(again).toMatchObject({ isGenuine: true, body: first.body });
    expect(again.headers['x-svc-delivery-id']).toBe(first.headers['x-svc-delivery-id']);
    expect(Number(again.headers['x-svc-timestamp'])).toBeGreaterThan(Number(first.headers['x-svc-timestamp']));
  }
});

const EventSequence = z.object({ connection_id: z.uuid(), sequences: z.array(z.number()), types: z.array(z.string()) });

/** Number of connections that are not live yet, plus deliveries that are not delivered. */
const unfinished = (): Promise<number> =>
  access.pool.oneFirst(sql.type(z.object({ n: z.number() }))`
    SELECT (SELECT count(*) FROM connections WHERE state <> 'live')
      + (SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered') AS n
  `);

test('the worker’s metrics show attempts by outcome, the oldest pending delivery, the time to the first attempt and disabled endpoints', async () => {
  const events = ['domain.added'];
  const gone = await Receiver.start();
  gone.answer = (response) => response.writeHead(410).end();
  const { endpoint } = await subscribe(access, tenant, { url: gone.url, events });
  await subscribe(access, tenant, { url: 'http://127.0.0.1:1/', events });
  await connect();
  await until(async () => (await getEndpoint(access.pool, endpoint.id))?.active === false);
  const readMetrics = async () => (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text();
  const lines = [
    /^webhook_endpoints_disabled 1$/m,
    /^webhook_attempt_total\{outcome="delivered"\} [1-9]/m,
    /^webhook_attempt_total\{outcome="http_4xx"\} 1$/m,
    /^webhook_attempt_total\{outcome="connection_refused"\} [1-9]/m,
    /^webhook_first_attempt_seconds_count [1-9]/m,
    /^webhook_oldest_pending_seconds [1-9]/m,
  ];
  // Each metric is updated at its own time.
  await until(async () => {
    const metrics = await readMetrics();
    return lines.every((line) => line.test(metrics));
  }, 60_000).catch(() => undefined);
  const metrics = await readMetrics();
  for (const line of lines) expect(metrics).toMatch(line);
  await gone.stop();
});
