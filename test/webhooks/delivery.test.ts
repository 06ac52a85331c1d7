import type { ServerResponse } from 'node:http';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { recordApplicationEvent, recordEvents } from '../../src/db/webhook/events.ts';
import { attemptsOf, lockDelivery } from '../../src/db/webhook/deliveries.ts';
import { replaceSecrets, updateEndpoint } from '../../src/db/webhook/endpoints.ts';
import { recoverEndpoint, replayDelivery } from '../../src/db/webhook/replays.ts';
import { DEFAULT_EVENTS, EVENT_TYPES, type EventType } from '../../src/domain/webhook/events.ts';
import { rotated } from '../../src/domain/webhook/secret.ts';
import { sealSecrets } from '../../src/webhooks/secrets.ts';
import { mintWebhookSecret } from '../../src/webhooks/sign.ts';
import type { Received } from '../support/doubles/receiver.ts';
import { relaying } from '../support/fixtures/relaying.ts';
import { until } from '../support/until.ts';
import { WebhookLab, type TestEndpoint } from '../support/fixtures/webhook-lab.ts';

let lab: WebhookLab;
beforeAll(async () => {
  lab = await WebhookLab.open('dev-server');
});
afterAll(() => lab.close());

test('a connection that goes live notifies its endpoint in sequence, with valid signatures', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint();
  const row = await lab.lab.create(undefined, tenant);
  await relaying(lab.lab, 'all', async () => {
    await until(async () => (await lab.lab.row(row.id)).state === 'live');
    await until(() => receiver.received.length === 4);
  });
  expect(receiver.types).toEqual(['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed']);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4]);
  expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  const ids = await lab.deliveriesTo(endpoint.id);
  for (const id of ids) {
    await until(async () => (await lab.delivery(id)).status === 'delivered'); // logged after the receiver has answered
    expect(await lab.delivery(id)).toMatchObject({ attempts: 1 });
  }
});

test('a blocked certificate is reported once, to the endpoint that subscribed to ssl.failing', async () => {
  const { receiver, tenant } = await lab.endpoint({ events: ['ssl.failing', 'domain.flow.completed'] });
  const usual = await lab.endpoint({ tenant });
  let certificateChecks = 0;
  const { certificate } = lab.lab.scenario;
  lab.lab.scenario.certificate = (now, hostname) =>
    ++certificateChecks > 2
      ? certificate(now, hostname)
      : { outcome: 'blocked', errorCode: 'caa_blocked', sentence: 'CAA forbids it.', findings: [], retryAfterMs: 200 };
  const row = await lab.lab.create(undefined, tenant);
  await relaying(lab.lab, 'all', async () => {
    await until(async () => (await lab.lab.row(row.id)).state === 'live');
    await until(() => receiver.received.length === 2 && usual.receiver.received.length === 4);
  });
  expect(certificateChecks).toBe(3);
  expect(receiver.types).toEqual(['ssl.failing', 'domain.flow.completed']);
  expect(receiver.received[0]!.event.data).toMatchObject({
    connection: { id: row.id },
    error: { code: 'caa_blocked', message: 'CAA forbids it.' },
  });
  expect(usual.receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 4, 5]);
});

const FURTHER = EVENT_TYPES.filter((type) => !DEFAULT_EVENTS.some((usual) => usual === type));

test('each optional event goes only to endpoints that subscribe to it, and an event without a connection has no sequence', async () => {
  const usual = await lab.endpoint();
  const named = new Map<string, TestEndpoint>();
  for (const type of FURTHER) named.set(type, await lab.endpoint({ tenant: usual.tenant, events: [type] }));
  const { tenant_id, test: side } = usual.tenant;
  const row = await lab.lab.create(undefined, usual.tenant);
  for (const type of FURTHER.filter((kind) => kind !== 'batch.completed')) await recordOne(row, type);
  const owner = { tenant_id, application_id: side.application_id, environment: 'test' } as const;
  await lab.lab.pool.transaction((tx) =>
    recordApplicationEvent(tx, owner, 'batch.completed', { now: new Date(), data: { batch: { total: 2 } } }),
  );
  const all = [usual, ...named.values()];
  await relaying(lab.lab, 'deliveries', () => until(() => all.every(({ receiver }) => receiver.received.length > 0)));
  expect(FURTHER).toHaveLength(9);
  for (const [type, { receiver }] of named) expect(receiver.types).toEqual([type]);
  expect(usual.receiver.types).toEqual(['domain.added']);
  const [batch] = named.get('batch.completed')!.receiver.received;
  expect(batch!.event).toMatchObject({ sequence: null, data: { batch: { total: 2 } } });
});

/** Records an event of an existing connection directly, without the workflow that would cause it. */
async function recordOne(row: ConnectionRow, type: EventType = 'domain.verified'): Promise<void> {
  await lab.lab.pool.transaction((tx) => recordEvents(tx, [row], type, { now: new Date() }));
}

const fail = (response: ServerResponse) => response.writeHead(500).end('not now');
const accept = (response: ServerResponse) => response.writeHead(204).end();

test('a failed attempt is repeated after five seconds, with the same id and a fresh signature', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  receiver.answer = (response) => (receiver.received.length === 1 ? fail(response) : accept(response));
  await recordOne(await lab.lab.create(undefined, tenant));
  await relaying(lab.lab, 'deliveries', () => until(() => receiver.received.length === 2));

  const [first, second] = receiver.received;
  expect(second!.event.id).toBe(first!.event.id);
  expect(second!.body).toEqual(first!.body);
  expect([first!.headers['x-svc-attempt'], second!.headers['x-svc-attempt']]).toEqual(['1', '2']);
  expect(Number(second!.headers['x-svc-timestamp'])).toBeGreaterThan(Number(first!.headers['x-svc-timestamp']));
  expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  const [id = ''] = await lab.deliveriesTo(endpoint.id);
  await until(async () => (await lab.delivery(id)).status === 'delivered');
  const attempts = await attemptsOf(lab.lab.pool, id);
  expect(attempts).toMatchObject([
    { number: 2, outcome: 'delivered', status_code: 204 },
    { number: 1, outcome: 'http_5xx', status_code: 500, response: 'not now' },
  ]);
});

test('deliveries due together share a run, failed deliveries continue in their own runs, and events stay in order', async () => {
  const good = await lab.endpoint({ events: ['domain.drift'] });
  const bad = await lab.endpoint({ tenant: good.tenant, events: ['domain.drift', 'domain.restored'] });
  const rows = await Promise.all(Array.from({ length: 5 }, () => lab.lab.create(undefined, good.tenant)));
  const about = ({ event }: Received) => ('connection' in event.data ? event.data.connection.id : null);
  bad.receiver.answer = (response, received) =>
    received.headers['x-svc-attempt'] === '1' && rows.slice(0, 2).some(({ id }) => id === about(received))
      ? fail(response)
      : accept(response);
  for (const row of rows) await recordOne(row, 'domain.drift');
  for (const row of rows) await recordOne(row, 'domain.restored');
  await relaying(lab.lab, 'deliveries', () =>
    until(() => bad.receiver.received.length === 14 && good.receiver.received.length === 5),
  );

  for (const { id } of rows) {
    const first = bad.receiver.received.filter(
      (received) => received.headers['x-svc-attempt'] === '1' && about(received) === id,
    );
    expect(first.map(({ event }) => event.type)).toEqual(['domain.drift', 'domain.restored']);
  }
  await until(async () => (await runs('WorkflowType = "webhookBatch"')).length > 0);
  const again = bad.receiver.received.find(({ headers }) => headers['x-svc-attempt'] === '2');
  await until(async () => {
    const query = `WebhookEventId = "${again!.event.id}" AND WebhookEndpointId = "${bad.endpoint.id}"`;
    return (await runs(query)).some((id) => id.startsWith('webhook/domain.'));
  });
});

async function runs(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of lab.lab.temporal.client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

test('a replay resends a delivered event, and immediately sends an event that waits for its next attempt', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  await recordOne(await lab.lab.create(undefined, tenant));
  await relaying(lab.lab, 'deliveries', async () => {
    await until(() => receiver.received.length === 1);
    const [id = ''] = await lab.deliveriesTo(endpoint.id);
    await until(async () => (await lab.delivery(id)).status === 'delivered');
    receiver.answer = (response) => (receiver.received.length < 4 ? fail(response) : accept(response));
    await replay(id);
    await until(async () => (await lab.delivery(id)).attempts === 3); // immediately, and after five seconds
    expect((await lab.delivery(id)).next_attempt_at!.getTime()).toBeGreaterThan(Date.now() + 60_000);
    await replay(id);
    await until(async () => (await lab.delivery(id)).status === 'delivered');
    expect(await lab.delivery(id)).toMatchObject({ attempts: 4, round: 3 });
  });
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
});

const replay = (id: string) =>
  lab.lab.pool.transaction(async (tx) => replayDelivery(tx, (await lockDelivery(tx, id))!, new Date()));

test('replay and recovery during running attempts attempt each event, and never twice at the same time', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  const held: ServerResponse[] = [];
  receiver.answer = (response) => void held.push(response);
  const since = new Date();
  const rows = [await lab.lab.create(undefined, tenant), await lab.lab.create(undefined, tenant)];
  for (const row of rows) await recordOne(row);
  await relaying(lab.lab, 'deliveries', async () => {
    await until(() => held.length === 2);
    const [replayed = '', left = ''] = await lab.deliveriesTo(endpoint.id);
    const recover = () => lab.lab.pool.transaction((tx) => recoverEndpoint(tx, endpoint, since, new Date()));
    const [, ...recovered] = await Promise.all([replay(replayed), recover(), recover()]);
    expect(recovered).toEqual([0, 0]); // both are in flight

    receiver.answer = accept;
    for (const response of held) accept(response);
    await until(async () => (await lab.delivery(replayed)).attempts === 2);
    await until(async () => (await lab.delivery(left)).status === 'delivered');
    expect(await lab.delivery(replayed)).toMatchObject({ status: 'delivered', round: 2, round_attempts: 1 });
    expect(await lab.delivery(left)).toMatchObject({ attempts: 1, round: 1 });
    const answered = (id: string) => receiver.received.filter(({ headers }) => headers['x-svc-delivery-id'] === id);
    expect(answered(replayed).map(({ headers }) => headers['x-svc-attempt'])).toEqual(['1', '2']);
    expect(answered(left)).toHaveLength(1);
  });
});

test('an attempt that was sent but never logged is repeated, with the same id, a fresh timestamp and a valid signature', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  const { sender } = lab.access;
  let lost = 0;
  lab.access.sender = {
    ...sender,
    async send(request) {
      const sent = await sender.send(request);
      if (request.url === endpoint.url && lost++ === 0) throw new Error('The worker was killed here.');
      return sent;
    },
  };
  await recordOne(await lab.lab.create(undefined, tenant));
  await relaying(lab.lab, 'deliveries', () => until(() => receiver.received.length === 2));
  lab.access.sender = sender;
  const [first, second] = receiver.received;
  expect(second!.event.id).toBe(first!.event.id);
  expect(Number(second!.headers['x-svc-timestamp'])).toBeGreaterThan(Number(first!.headers['x-svc-timestamp']));
  expect(second!.isGenuine).toBe(true);
  const [id = ''] = await lab.deliveriesTo(endpoint.id);
  await until(async () => (await lab.delivery(id)).status === 'delivered');
});

test('a secret rotated between two attempts signs the second attempt', async () => {
  const { endpoint, receiver, secret, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  const fresh = mintWebhookSecret();
  receiver.answer = (response, { headers }) => (headers['x-svc-attempt'] === '1' ? fail(response) : accept(response));
  await recordOne(await lab.lab.create(undefined, tenant));
  await relaying(lab.lab, 'deliveries', async () => {
    await until(() => receiver.received.length === 1);
    const secrets = rotated({ current: secret, next: null }, fresh, new Date(), Date.now());
    await replaceSecrets(lab.lab.pool, endpoint.id, sealSecrets(lab.access.vault, endpoint, secrets), null);
    receiver.secrets = [fresh];
    await until(() => receiver.received.length === 2);
  });
  expect(receiver.received.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
});

test('410 disables the endpoint immediately: nothing more is sent until it is active again and recovers', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.verified'] });
  receiver.answer = (response) => response.writeHead(410).end();
  const since = new Date();
  const row = await lab.lab.create(undefined, tenant);
  await recordOne(row);
  await relaying(lab.lab, 'deliveries', async () => {
    await until(async () => !(await lab.row(endpoint.id)).active);
    expect(await lab.row(endpoint.id)).toMatchObject({ disabled_reason: 'gone' });
    await recordOne(row);
    const [id = ''] = await lab.deliveriesTo(endpoint.id);
    await until(async () => (await lab.delivery(id)).status === 'failed');
    expect(await lab.delivery(id)).toMatchObject({ reason: 'endpoint_inactive', attempts: 1 });
    expect(await lab.deliveriesTo(endpoint.id)).toHaveLength(1);

    receiver.answer = accept;
    const active = await updateEndpoint(lab.lab.pool, await lab.row(endpoint.id), { ...endpoint, active: true });
    const recovered = () => lab.lab.pool.transaction((tx) => recoverEndpoint(tx, active, since, new Date()));
    expect(await recovered()).toBe(2);
    expect(await recovered()).toBe(0); // they are in flight
    await until(() => receiver.received.length === 3);
    for (const delivery of await lab.deliveriesTo(endpoint.id))
      await until(async () => (await lab.delivery(delivery)).status === 'delivered');
  });
});

test('a dead receiver delays no other receiver, and is paused after five failures in a row', async () => {
  const dead = await lab.endpoint({ events: ['domain.drift'], url: 'http://127.0.0.1:1/' });
  const alive = await lab.endpoint({ tenant: dead.tenant, events: ['domain.drift'] });
  const rows = await Promise.all(Array.from({ length: 8 }, () => lab.lab.create(undefined, dead.tenant)));
  for (const row of rows) await recordOne(row, 'domain.drift');
  await relaying(lab.lab, 'deliveries', async () => {
    await until(() => alive.receiver.received.length === 8);
    await until(async () => (await lab.row(dead.endpoint.id)).paused_until !== null);
  });
  expect((await lab.row(dead.endpoint.id)).failures).toBeGreaterThanOrEqual(5);
  expect((await lab.row(alive.endpoint.id)).failures).toBe(0);
});
