import { Client, Connection } from '@temporalio/client';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openKey } from '../../src/certificates/keys.ts';
import { orderOfConnection } from '../../src/db/certificate/acme-orders.ts';
import { certificateOf } from '../../src/db/certificate/certificates.ts';
import { none, sql } from '../../src/db/pool.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { startTemporal, type Temporal } from '../../src/embedded/temporal.ts';
import { beginOrder } from '../../src/ordering/begin.ts';
import { searchAttributeTypes } from '../../src/temporal/search-attributes.ts';
import { certificateOrderWorkflowId } from '../../workflows/messages.ts';
import { startWorkerProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { someLabel, startOrderingLab, type OrderingLab } from '../support/fixtures/ordering-lab.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import type { Exchange } from '../support/proxies/http-front.ts';
import type { AcmeExchange } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/**
 * A worker orders certificates at a real CA, and is killed with SIGKILL. Proxies hold one request of each order at the
 * order's moment. Once every order is at its moment, a single kill hits all of them.
 */
jest.setTimeout(480_000);
const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
const OTHERS_VALUE = '"of another service"';

interface Order {
  id: string;
  connectionId: string;
  hostname: string;
  domain: string;
}
/** Whether an order's request is the one to hold: at the CA by its path, at the DNS provider by what it writes. */
type Moment = (seen: { path: string; isAnswered: boolean; writes?: 'challenge' | 'removal' }) => boolean;

const atCa =
  (start: string, when: 'asked' | 'answered'): Moment =>
  ({ path, isAnswered }) =>
    path.startsWith(start) && isAnswered === (when === 'answered');
const atProvider =
  (what: 'challenge' | 'removal', when: 'asked' | 'answered'): Moment =>
  ({ writes, isAnswered }) =>
    writes === what && isAnswered === (when === 'answered');

const MOMENTS = {
  'the CA has accepted the order': atCa('/order-plz', 'answered'),
  'the challenge is about to be written': atProvider('challenge', 'asked'),
  'the challenge was written': atProvider('challenge', 'answered'),
  'the CA has accepted the challenge': atCa('/chalZ/', 'answered'),
  'the CA has accepted the signing request': atCa('/finalize-order/', 'answered'),
  'the certificate is about to be downloaded': atCa('/certZ/', 'asked'),
  'the challenge is about to be removed': atProvider('removal', 'asked'),
  'the challenge was removed': atProvider('removal', 'answered'),
} satisfies Record<string, Moment>;
/** Moments without a request of their own to hold. */
const UNSEEN = 'the name servers do not return the challenge yet';
const UNSAVED = 'the certificate is not saved yet';
/** Number of all orders: one for each moment, and one for the account. */
const ALL = Object.keys(MOMENTS).length + 3;
type Name = keyof typeof MOMENTS | typeof UNSEEN | typeof UNSAVED | 'the account was made';

let lab: OrderingLab;
let database: FreezingProxy;
let temporal: Temporal;
let client: Client;
let worker: HalfProcess;
const orders = new Map<Name, Order>();
/** Hostnames of the orders to which paths at the CA belong. */
const ownerOf = new Map<string, string>();
const accounts = new Set<string>();
const finalized = new Set<string>();
const reached = new Set<Name>();
/** Orders whose URL the worker never learned. */
let unansweredOrders = 0;
/** Values that the name servers do not return. */
let unseen: string[] = [];
/** Whether the last kill has happened. */
let isOver = false;
let died = Promise.withResolvers<undefined>();

beforeAll(async () => {
  lab = await startOrderingLab({ vaultKey: KEYS });
  database = await startFreezingProxy(lab.databaseUrl);
  const [port, uiPort] = await freePorts([undefined, undefined]);
  const dbFile = join(await tempFolder(), 'temporal.db');
  const searchAttributes = searchAttributeTypes();
  const executable = process.env['TEMPORAL_CLI_PATH']!;
  temporal = await startTemporal({ executable, dbFile, port, uiPort, searchAttributes, onProgress: () => undefined });
  client = new Client({ connection: Connection.lazy({ address: temporal.address }) });
  lab.pebble.intercept = atTheCa;
  lab.front.intercept = atTheProvider;
  worker = await startWorker();
});
afterAll(async () => {
  await worker.stop('SIGKILL');
  await client.connection.close();
  await temporal.stop();
  await database.stop();
  await lab.stop();
});

const startWorker = () =>
  startWorkerProcess(database.url, {
    TEMPORAL_ADDRESS: temporal.address,
    CREDENTIAL_KEYS: KEYS,
    EDGE: 'off',
    ACME_DIRECTORY_URL: lab.pebble.directoryUrl,
    ACME_CA_FILE: lab.pebble.caFile,
    DNS_RESOLVERS: `${lab.dns.recursor.address}:${lab.dns.recursor.port}`,
    DNS_AUTHORITATIVE_PORT: String(lab.dns.powerdns.port),
    DNS_ALLOW_PRIVATE: 'true',
  });

/** Begins an order of a domain of its own, at whose challenge another service has a value already. */
async function begin(name: Name): Promise<void> {
  const domain = await lab.domain();
  const connection = await lab.connect(`${someLabel()}.${domain}`);
  const { hostname } = connection;
  await lab.dns.powerdns.set(domain, `_acme-challenge.${hostname}`, 'TXT', OTHERS_VALUE);
  const { vault, directory } = lab.ordering;
  await lab.pool.transaction((tx) => beginOrder(tx, vault, connection, { directory: directory!, now: new Date() }));
  const { id } = (await orderOfConnection(lab.pool, connection.id))!;
  orders.set(name, { id, connectionId: connection.id, hostname, domain });
}

/** Waits for the death of the worker. Its request is then dropped, or the answer to it. */
async function hold(name: Name): Promise<never> {
  reached.add(name);
  if (name === 'the CA has accepted the order') unansweredOrders++;
  await died.promise;
  throw new Error('The worker is dead.');
}

const momentOf = (hostname: string | undefined): Name | undefined =>
  [...orders].find(([, order]) => order.hostname === hostname)?.[0];

async function passesThrough(hostname: string | undefined, seen: Parameters<Moment>[0]): Promise<void> {
  const name = momentOf(hostname);
  // A request that is repeated before the kill, after a timeout, is held again.
  if (!isOver && name !== undefined && name in MOMENTS && MOMENTS[name as keyof typeof MOMENTS](seen)) await hold(name);
}

async function atTheCa({ path, names, answer }: AcmeExchange): Promise<void> {
  const hostname = names[0] ?? ownerOf.get(path);
  const isAnswered = answer !== undefined;
  if (answer !== undefined && hostname !== undefined)
    for (const url of [answer.location ?? '', ...(answer.body.match(/https:[^"]+/g) ?? [])].filter(Boolean))
      ownerOf.set(new URL(url).pathname, hostname);
  if (path === '/sign-me-up' && answer?.location !== undefined) {
    accounts.add(answer.location);
    if (!reached.has('the account was made')) await hold('the account was made');
  }
  if (path.startsWith('/finalize-order/') && isAnswered) finalized.add(path);
  const name = momentOf(hostname);
  if (name === UNSAVED && path.startsWith('/certZ/') && isAnswered && !reached.has(name)) {
    await until(() => reached.size === ALL - 1, 240_000);
    database.freeze();
    reached.add(name);
  }
  await passesThrough(hostname, { path, isAnswered });
}

async function atTheProvider({ method, path, body, isAnswered }: Exchange): Promise<void> {
  const order = [...orders.values()].find(({ domain }) => path.includes(domain));
  const name = momentOf(order?.hostname);
  if (order === undefined) return;
  if (method === 'PATCH' && body.includes('_acme-challenge.')) {
    const values = [...body.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string);
    // The set has the other service's value, and ours while it is published.
    const writes = values.length === 2 ? 'challenge' : 'removal';
    await passesThrough(order.hostname, { path, isAnswered, writes });
    if (name === UNSEEN && isAnswered && !isOver) unseen = values;
  } else if (name === UNSEEN && isAnswered && unseen.length > 0 && !isOver) {
    // The worker has read its value back. From now on no name server returns it.
    await lab.dns.powerdns.set(order.domain, `_acme-challenge.${order.hostname}`, 'TXT', OTHERS_VALUE);
  }
}

async function isWaitingForNameServers({ id, hostname }: Order): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(certificateOrderWorkflowId({ id, hostname })).describe();
  const waiting = raw.pendingActivities?.some(
    ({ activityType, lastFailure }) => activityType?.name === 'awaitChallenges' && lastFailure,
  );
  return waiting === true;
}

async function kill(): Promise<void> {
  await worker.stop('SIGKILL');
  died.resolve(undefined);
  died = Promise.withResolvers();
  // The lock of a zone expires a minute after its holder died.
  await lab.pool.query(sql.type(none)`UPDATE zone_leases SET expires_at = now()`);
}

test('a worker killed at any moment of an order continues it: one certificate, no challenge left, no other value touched', async () => {
  await begin('the account was made');
  await until(() => reached.has('the account was made'), 60_000);
  await kill();
  worker = await startWorker();

  // The orders with the longest way begin first, so that no request is held until it times out.
  const [early, late] = [Object.keys(MOMENTS).slice(0, 4), Object.keys(MOMENTS).slice(4)] as [Name[], Name[]];
  for (const name of [UNSEEN, UNSAVED, ...late] as const) await begin(name);
  const waiting = orders.get(UNSEEN)!;
  await until(async () => unseen.length > 0 && (await isWaitingForNameServers(waiting)), 120_000);
  reached.add(UNSEEN);
  await until(() => late.every((name) => reached.has(name)), 120_000);
  for (const name of early) await begin(name);
  await until(() => reached.size === ALL, 120_000);
  // The certificate has been downloaded by now, or the kill comes a little earlier.
  await pause(300);
  isOver = true;
  await kill();
  database.cut();
  database.thaw();
  await database.heal();
  await lab.dns.powerdns.set(waiting.domain, `_acme-challenge.${waiting.hostname}`, 'TXT', ...unseen);
  worker = await startWorker();

  const left = () => lab.pool.anyFirst(sql.type(z.object({ id: z.string() }))`SELECT id FROM acme_orders`);
  await until(async () => (await left()).length === 0, 180_000);
  const found = await Promise.all([...orders].map(async ([name, order]) => [name, await resultOf(order)] as const));
  const expected = { certificates: 1, finalized: 1, ordered: 1, texts: [OTHERS_VALUE] };
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries([...orders.keys()].map((name) => [name, expected])),
    // The worker never learned the URL of its first order, so it had to place another.
    'the CA has accepted the order': { ...expected, ordered: unansweredOrders + 1 },
  });
  expect(accounts.size).toBe(1);
});

async function resultOf({ connectionId, hostname, domain }: Order) {
  const saved = (await certificateOf(lab.pool, connectionId, 'ordered'))!;
  const [leaf, issuer] = saved.chain.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem));
  const key = createPrivateKey(openKey(lab.ordering.vault, saved));
  expect([leaf!.checkHost(hostname), leaf!.checkPrivateKey(key), leaf!.verify(issuer!.publicKey)]).toEqual([hostname, true, true]); // prettier-ignore
  const certificates = await lab.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM certificates WHERE connection_id = ${connectionId}
  `);
  const dump = await lab.dns.powerdns.dump(domain);
  return {
    certificates,
    finalized: [...finalized].filter((path) => ownerOf.get(path) === hostname).length,
    ordered: lab.pebble.orders.filter((name) => name === hostname).length,
    texts: dump.flatMap((line) => {
      const [name, type, , { content }] = JSON.parse(line) as [string, string, number, { content: string }];
      return type === 'TXT' && name === `_acme-challenge.${hostname}.` ? [content] : [];
    }),
  };
}
