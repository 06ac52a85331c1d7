import { recordEvents } from '../../src/db/webhook/events.ts';
import { EVENT_TYPES } from '../../src/domain/webhook/events.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { startTestApi, someName, type TestApi } from '../support/fixtures/api.ts';
import { send, type Answer } from '../support/http.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: unknown, more: { live?: boolean; headers?: Record<string, string> } = {}): Promise<Answer> =>
  send(method, `${api.baseUrl}/v1${path}`, { credential: more.live ? tenant.live.key : tenant.test.key, ...(body === undefined ? {} : { body }), ...(more.headers ? { headers: more.headers } : {}) }); // prettier-ignore

const create = (body: object, live = false, headers?: Record<string, string>) =>
  call('POST', '/webhook-endpoints', { application_id: tenant[live ? 'live' : 'test'].application_id, url: 'https://hooks.shop-site.com/in', ...body }, { live, ...(headers ? { headers } : {}) }); // prettier-ignore

const made = async (body: object = {}, live = false): Promise<Record<string, unknown>> =>
  (await create(body, live)).body as Record<string, unknown>;

test('an endpoint subscribes to the default event types unless it names others, and its secret is returned once', async () => {
  const { status, body } = await create({});
  expect(status).toBe(201);
  expect(body).toMatchObject({
    url: 'https://hooks.shop-site.com/in',
    events: ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed', 'domain.drift', 'domain.restored'], // prettier-ignore
    active: true,
    signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
  });
  const { id } = body as { id: string };
  for (const { text } of [await call('GET', `/webhook-endpoints/${id}`), await call('GET', '/webhook-endpoints')])
    expect(text).not.toContain('whsec_');
  expect(await made({ events: ['ssl.failing', 'ssl.failing'] })).toMatchObject({ events: ['ssl.failing'] });
});

test('a repeated create returns the same endpoint without its secret', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const [first, second] = [await create({}, false, headers), await create({}, false, headers)];
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body).toEqual({ ...(first.body as object), signing_secret: undefined });
});

test.each([
  ['ftp://hooks.shop-site.com/', 'url'],
  ['not a URL', 'url'],
  ['https://user:secret@hooks.shop-site.com/', 'userinfo'],
  ['https://hooks.shop-site.com/#part', 'fragment'],
  ['https://hooks.shop-site.com:22/', 'port'],
  ['https://127.0.0.1/', 'private_address'],
  ['https://0x7f.1/', 'private_address'],
  ['https://2130706433/', 'private_address'],
  ['https://[::ffff:10.0.0.1]/', 'private_address'],
  ['https://169.254.169.254/latest/meta-data', 'private_address'],
  ['https://metadata.internal/', 'private_address'],
  ['https://localhost/', 'private_address'],
])('the URL %s is refused: %s', async (url, code) => {
  const { status, body } = await create({ url });
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'invalid', details: [{ path: 'body.url', code }] } });
});

test('plain http is only for the test environment, and unknown event types are refused', async () => {
  expect((await create({ url: 'http://hooks.shop-site.com/' })).status).toBe(201);
  expect(await create({ url: 'http://hooks.shop-site.com/' }, true)).toMatchObject({ status: 400 });
  expect(await create({ events: ['domain.exploded'] })).toMatchObject({ status: 400 });
  expect(await create({ events: [] })).toMatchObject({ status: 400 });
});

test('PATCH changes URL, events and active, and DELETE returns 204 and then 404', async () => {
  const { id } = (await made()) as { id: string };
  const path = `/webhook-endpoints/${id}`;
  const patched = await call('PATCH', path, {
    url: 'https://other.shop-site.com/',
    events: ['domain.drift'],
    active: false,
  });
  expect(patched).toMatchObject({
    status: 200,
    body: { url: 'https://other.shop-site.com/', events: ['domain.drift'], active: false, disabled_reason: null },
  });
  for (const verb of [':test', ':recover'])
    expect(await call('POST', path + verb, verb === ':test' ? {} : { since: '2026-01-01T00:00:00Z' })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
});

test('rotating returns the next secret and its activation time, within 30 days', async () => {
  const { id } = (await made()) as { id: string };
  const path = `/webhook-endpoints/${id}:rotate-secret`;
  const { body } = await call('POST', path);
  const { activates_at } = body as { activates_at: string };
  expect(Date.parse(activates_at) - Date.now()).toBeGreaterThan(86_000_000);
  expect((await call('GET', `/webhook-endpoints/${id}`)).body).toMatchObject({
    next_secret_activates_at: activates_at,
  });
  expect(await call('POST', path, { now: true })).toMatchObject({
    status: 200,
    body: { next_secret_activates_at: null },
  });
  expect(await call('POST', path, { activates_at: '2999-01-01T00:00:00Z' })).toMatchObject({ status: 400 });
});

test('an endpoint with * receives every type of event, also those that no other endpoint names', async () => {
  const every = (await made({ events: ['*'] })) as { id: string; events: string[] };
  const named = (await made({ events: ['domain.drift'] })) as { id: string };
  expect(every.events).toEqual(['*']);
  const row = await newConnection(api.deps.pool, tenant, someName());
  for (const type of EVENT_TYPES)
    await api.deps.pool.transaction((tx) => recordEvents(tx, [row], type, { now: new Date() }));
  const typesOf = async (id: string) => {
    const { body } = await call('GET', `/webhook-endpoints/${id}/deliveries?limit=100`);
    return new Set((body as { data: { event_type: string }[] }).data.map(({ event_type }) => event_type));
  };
  expect(await typesOf(every.id)).toEqual(new Set(EVENT_TYPES));
  expect(await typesOf(named.id)).toEqual(new Set(['domain.drift']));
});

test('a test event goes to one endpoint, and only test endpoints accept other types', async () => {
  const [one, live] = [await made({ events: ['domain.drift'] }), await made({}, true)];
  const sent = await call('POST', `/webhook-endpoints/${String(one['id'])}:test`, { type: 'domain.verified' });
  expect(sent).toMatchObject({
    status: 200,
    body: { event_type: 'domain.verified', status: 'pending', attempt_count: 0 },
  });
  const { event_id } = sent.body as { event_id: string };
  const event = await call('GET', `/events/${event_id}`);
  expect(event.body).toMatchObject({ deliveries: [{ endpoint_id: one['id'] }] });
  const { sequence } = event.body as { sequence: number };
  const next = await call('POST', `/webhook-endpoints/${String(one['id'])}:test`, { type: 'domain.drift' });
  const after = await call('GET', `/events/${(next.body as { event_id: string }).event_id}`);
  expect(after.body).toMatchObject({ sequence: sequence + 1 });
  const path = `/webhook-endpoints/${String(live['id'])}:test`;
  expect((await call('POST', path, { type: 'domain.verified' }, { live: true })).status).toBe(400);
  expect(await call('POST', path, undefined, { live: true })).toMatchObject({
    status: 200,
    body: { event_type: 'webhook.test' },
  });
});

test('deliveries and events are listed page by page, filtered by status, type and time', async () => {
  const { id } = (await made({ events: ['domain.restored', 'domain.stalled'] })) as { id: string };
  const row = await newConnection(api.deps.pool, tenant, someName());
  const tell = (type: 'domain.restored' | 'domain.stalled') =>
    api.deps.pool.transaction((tx) => recordEvents(tx, [row], type, { now: new Date() }));
  for (const type of ['domain.restored', 'domain.stalled', 'domain.restored'] as const) await tell(type);

  const path = `/webhook-endpoints/${id}/deliveries`;
  const list = async (query: string) => (await call('GET', `${path}?${query}`)).body as { data: { event_type: string }[]; next_cursor: string | null }; // prettier-ignore
  const first = await list('limit=2');
  const second = await list(`limit=2&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data].map(({ event_type }) => event_type)).toEqual(['domain.restored', 'domain.stalled', 'domain.restored']); // prettier-ignore
  expect(second.next_cursor).toBeNull();
  expect((await list('event=domain.stalled')).data).toHaveLength(1);
  expect((await list('status=pending')).data).toHaveLength(3);
  expect((await list('status=failed')).data).toEqual([]);
  expect((await list('since=2999-01-01T00:00:00Z')).data).toEqual([]);
  expect((await list('until=2999-01-01T00:00:00Z')).data).toHaveLength(3);
  expect((await call('GET', `${path}?status=lost`)).status).toBe(400);
  const events = (await call('GET', `/events?connection_id=${row.id}`)).body as { data: { sequence: number }[] };
  expect(events.data.map(({ sequence }) => sequence)).toEqual([4, 3, 2, 1]);
});

test('an application has at most a hundred endpoints', async () => {
  const other = await api.tenant();
  const ask = () =>
    send('POST', `${api.baseUrl}/v1/webhook-endpoints`, {
      credential: other.test.key,
      body: { application_id: other.test.application_id, url: 'https://hooks.shop-site.com/' },
    });
  const answers = await Promise.all(Array.from({ length: 103 }, ask));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
});
