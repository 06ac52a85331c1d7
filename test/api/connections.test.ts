import { z } from 'zod';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { sql } from '../../src/db/pool.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { paginate, type ServiceClient } from '../../client/index.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  client = api.client(tenant.live.key);
});
afterAll(() => api.stop());

const create = (
  hostname: string,
  more: { external_id?: string } = {},
  by = client,
  applicationId = tenant.live.application_id,
) => by.POST('/v1/connections', { body: { application_id: applicationId, hostname, ...more } });

/** Proves ownership as the worker would. */
async function prove(id: string): Promise<void> {
  await api.deps.pool.transaction(async (tx) => {
    for (const trigger of ['checkStarted', 'challengeSeen'] as const)
      await transition(tx, (await getConnection(tx, id))!, trigger, { now: new Date() });
  });
}

test('a new connection waits for its ownership proof and shows the required record', async () => {
  const hostname = someName();

  const { data, response } = await create(` ${hostname.toUpperCase()}. `, { external_id: 'customer-7' });

  expect(response.status).toBe(201);
  expect(data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    application_id: tenant.live.application_id,
    environment: 'live',
    hostname,
    kind: 'subdomain',
    setup_type: 'manual',
    state: 'pending_ownership',
    provider: null,
    provider_name: null,
    batch_id: null,
    external_id: 'customer-7',
    serve: true,
    proof: 'txt',
    error_code: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    ownership_challenge: {
      name: `_service-challenge.${hostname}`,
      type: 'TXT',
      value: expect.stringMatching(/^[\w-]{43}$/) as string,
    },
  });
});

test('retrieving it shows every record to add, the challenge first, and no observed records yet', async () => {
  const made = expectData(await create(someName()));

  const read = expectData(await client.GET('/v1/connections/{id}', { params: { path: { id: made.id } } }));

  expect(read).toMatchObject({
    ...made,
    desired_records: [{ host: made.hostname, type: 'CNAME', value: 'edge.service.dev', ttl: 300, priority: null }],
    observed_records: [],
    certificate: { status: 'none', not_after: null, ca: null },
    cleanup: 'none',
    last_checked_at: null,
    next_check_at: null,
    findings: [],
    timeline: [{ from: 'created', to: 'pending_ownership', reason: null }],
  });
  expect(read.records_to_add.map(({ host, type }) => `${type} ${host}`)).toEqual([
    `TXT _service-challenge.${made.hostname}`,
    `CNAME ${made.hostname}`,
  ]);
  expect(read.records_to_add[1]!.relative_host).toBe(made.hostname.split('.')[0]);
});

test('a repeated request returns the waiting connection, and twenty concurrent requests create one', async () => {
  const hostname = someName();

  const answers = await Promise.all(Array.from({ length: 20 }, () => create(hostname)));

  expect(answers.map(({ response }) => response.status).toSorted()).toEqual([...Array<number>(19).fill(200), 201]);
  expect(new Set(answers.map((answer) => expectData(answer).id)).size).toBe(1);
});

test('a held hostname is a conflict, and only its own tenant learns which connection holds it', async () => {
  const hostname = someName();
  const held = expectData(await create(hostname));
  await prove(held.id);
  const other = await api.tenant();

  const own = await create(hostname);
  const foreign = await create(hostname, {}, api.client(other.live.key), other.live.application_id);
  const fromTest = await create(hostname, {}, api.client(tenant.test.key), tenant.test.application_id);

  expect([own.response.status, own.error]).toMatchObject([
    409,
    { error: { code: 'HostnameConflict', details: { hostname, same_tenant: true, connection_id: held.id } } },
  ]);
  expect([foreign.response.status, foreign.error]).toMatchObject([
    409,
    { error: { code: 'HostnameConflict', details: { hostname, same_tenant: false, connection_id: null } } },
  ]);
  expect(fromTest.error).toMatchObject({ error: { details: { same_tenant: true, connection_id: null } } });
  expect(JSON.stringify(foreign.error)).not.toContain(tenant.tenant_id);
});

test('another tenant may wait for the same unproved hostname', async () => {
  const hostname = someName();
  await create(hostname);
  const other = await api.tenant();

  const theirs = await create(hostname, {}, api.client(other.live.key), other.live.application_id);

  expect(theirs.response.status).toBe(201);
});

test('archiving releases the hostname immediately, and repeating it changes nothing', async () => {
  const hostname = someName();
  const { id, ownership_challenge } = expectData(await create(hostname));
  await prove(id);
  const archive = () => client.DELETE('/v1/connections/{id}', { params: { path: { id } } });

  const first = await archive();
  const second = await archive();
  const next = await create(hostname);

  expect(first.data).toMatchObject({ id, state: 'archived' });
  expect(second.data).toEqual(first.data);
  expect(next.response.status).toBe(201);
  expect(expectData(next).ownership_challenge.value).not.toBe(ownership_challenge.value);
});

test.each([
  ['https://shop.site.com/', 'scheme', 'shop.site.com'],
  ['shop.site.com:443', 'port', 'shop.site.com'],
  ['192.0.2.1', 'ip_address', undefined],
  ['localhost', 'single_label', undefined],
  ['co.uk', 'public_suffix', undefined],
  ['github.io', 'public_suffix', undefined],
  ['a.*.shop-site.com', 'wildcard', undefined],
  ['*.co.uk', 'public_suffix', undefined],
  ['*.com', 'single_label', undefined],
  ['*.github.io', 'public_suffix', undefined],
  ['*.service.dev', 'own_host', undefined],
  ['*.edge.service.dev', 'own_host', undefined],
  ['shop_1.site.com', 'underscore', undefined],
  ['shop.example.com', 'reserved', undefined],
  ['shop.auto.test', 'reserved', undefined],
  ['api.service.dev', 'own_host', undefined],
  ['edge.service.dev', 'own_host', undefined],
  ['below.edge.service.dev', 'own_host', undefined],
  [`${'a'.repeat(64)}.com`, 'label_too_long', undefined],
])('%s is refused because of: %s', async (hostname, code, suggestion) => {
  const { error, response } = await create(hostname);

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: { code: 'invalid', details: [{ path: 'body.hostname', code }] } });
  if (suggestion !== undefined) expect(error).toMatchObject({ error: { details: [{ suggestion }] } });
});

test('an apex gets address records, a subdomain a CNAME, and internationalized hostnames become ASCII', async () => {
  const apex = expectData(await create(someName('com')));
  const idn = expectData(await create(`bücher.${someName()}`));

  const { desired_records } = expectData(
    await client.GET('/v1/connections/{id}', { params: { path: { id: apex.id } } }),
  );

  expect(apex.kind).toBe('apex');
  expect(desired_records).toMatchObject([{ type: 'A', value: '192.0.2.10', relative_host: '@' }]);
  expect(idn.hostname).toMatch(/^xn--bcher-kva\./);
});

describe('a list of connections', () => {
  let mine: ServiceClient;
  let other: NewTenant;
  const names: string[] = [];
  beforeAll(async () => {
    other = await api.tenant();
    mine = api.client(other.live.key);
    for (let n = 0; n < 25; n++) {
      const hostname = someName();
      names.unshift(hostname);
      expectData(await create(hostname, { external_id: `customer-${n % 5}` }, mine, other.live.application_id));
    }
  });

  const page = async (cursor?: string, limit?: number) =>
    expectData(
      await mine.GET('/v1/connections', {
        params: { query: { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) } },
      }),
    );

  test('is sorted newest first, with twenty on a page, and ends', async () => {
    const first = await page();
    const second = await page(first.next_cursor!);

    expect([...first.data, ...second.data].map(({ hostname }) => hostname)).toEqual(names);
    expect([first.data.length, second.next_cursor]).toEqual([20, null]);
  });

  test('shows every row exactly once while rows are added', async () => {
    const seen: string[] = [];
    for await (const { hostname } of paginate((cursor) => page(cursor, 4))) {
      seen.push(hostname);
      if (seen.length === 6) expectData(await create(someName(), {}, mine, other.live.application_id));
    }

    expect(seen).toEqual(names);
  });

  test('filters by state, exact hostname in any spelling, application and external id', async () => {
    const list = async (query: object) => expectData(await mine.GET('/v1/connections', { params: { query } })).data;

    expect(await list({ state: 'live' })).toEqual([]);
    expect(await list({ hostname: `${names[3]!.toUpperCase()}.` })).toMatchObject([{ hostname: names[3] }]);
    expect(await list({ hostname: 'shop-site.com' })).toEqual([]);
    expect(await list({ application_id: other.test.application_id })).toEqual([]);
    expect((await list({ external_id: 'customer-2' })).map(({ hostname }) => hostname)).toEqual(
      names.filter((_, index) => (24 - index) % 5 === 2),
    );
  });

  test("answers for the key's own environment unless it asks for another, or names an object of it", async () => {
    const owner = await api.tenant();
    const [live, test] = [api.client(owner.live.key), api.client(owner.test.key)];
    expectData(await create(someName(), {}, live, owner.live.application_id));
    expectData(await create(someName(), {}, live, owner.test.application_id));
    const environments = async (by: ServiceClient, query: object = {}) =>
      expectData(await by.GET('/v1/connections', { params: { query } })).data.map(({ environment }) => environment);

    expect(await environments(live)).toEqual(['live']);
    expect(await environments(live, { environment: 'all' })).toEqual(['test', 'live']);
    expect(await environments(live, { environment: 'test' })).toEqual(['test']);
    expect(await environments(live, { application_id: owner.test.application_id })).toEqual(['test']);
    expect(await environments(test)).toEqual(['test']);
    expect(await environments(test, { environment: 'all' })).toEqual(['test']);
    expect(await environments(test, { environment: 'live' })).toEqual([]);
    expect(await environments(test, { application_id: owner.live.application_id })).toEqual([]);
  });

  test.each([
    ['a limit of 0', { limit: '0' }],
    ['a limit of 101', { limit: '101' }],
    ['a limit that is no number', { limit: '1e1' }],
    ['an unknown state', { state: 'happy' }],
    ['an unknown parameter', { order: 'asc' }],
    ['a cursor that is not ours', { cursor: 'bm90IG91cnM' }],
  ])('refuses %s', async (_, query) => {
    const search = new URLSearchParams(query).toString();

    const { status } = await send('GET', `${api.baseUrl}/v1/connections?${search}`, { credential: other.live.key });

    expect(status).toBe(400);
  });

  test("refuses another tenant's and another list's cursor", async () => {
    const { next_cursor } = await page();
    const query = { cursor: next_cursor! };

    const foreign = await client.GET('/v1/connections', { params: { query } });
    const elsewhere = await mine.GET('/v1/applications', { params: { query } });

    expect([foreign.response.status, elsewhere.response.status]).toEqual([400, 400]);
  });
});

test('a hostname that drifted for seven days can be connected again, but not after six days', async () => {
  const hostname = someName();
  const holder = await newConnection(api.deps.pool, await api.tenant(), hostname);
  const driftedFor = (days: number) =>
    api.deps.pool.query(sql.type(z.object({}))`
      UPDATE connections SET state = 'drifted', phase_started_at = now() - ${days} * interval '1 day' WHERE id = ${holder.id}
    `);
  const connect = () =>
    send('POST', `${api.baseUrl}/v1/connections`, {
      credential: tenant.live.key,
      body: { application_id: tenant.live.application_id, hostname },
    });

  await driftedFor(6);
  const refused = await connect();
  await driftedFor(7);
  const created = await connect();

  expect([refused.status, created.status]).toEqual([409, 201]);
  expect(refused.body).toMatchObject({ error: { message: expect.stringMatching(/If you own the domain/) as string } });
});

test('a live hostname whose domain was registered anew shows that to its tenant, and can be connected by another', async () => {
  const [hostname, owner] = [someName(), await api.tenant()];
  const { id } = await newConnection(api.deps.pool, owner, hostname, { environment: 'live' });
  const registeredAfterProof = (days: number) =>
    api.deps.pool.query(sql.type(z.object({}))`
      WITH known AS (
        INSERT INTO registrations (domain, state, registered_at, answered_at, next_check_at)
        VALUES (${hostname}, 'found', now() + ${days} * interval '1 day', now(), now())
        ON CONFLICT (domain) DO UPDATE SET registered_at = excluded.registered_at
      )
      UPDATE connections SET state = 'live', proved_at = now(), registered_domain = ${hostname} WHERE id = ${id}
    `);
  const at = `${api.baseUrl}/v1/connections`;
  const body = { application_id: tenant.live.application_id, hostname };
  const connect = () => send('POST', at, { credential: tenant.live.key, body });
  const findings = async () => (await send('GET', `${at}/${id}`, { credential: owner.live.key })).body;

  await registeredAfterProof(-1);
  expect([(await connect()).status, await findings()]).toMatchObject([409, { findings: [] }]);
  await registeredAfterProof(1);
  const shown = { state: 'live', findings: [{ code: 'registered_anew', severity: 'warning' }] };
  expect([await findings(), (await connect()).status]).toMatchObject([shown, 201]);
  expect((await send('GET', `${at}/${id}`, { credential: tenant.live.key })).status).toBe(404);
});
