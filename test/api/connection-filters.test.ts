import { z } from 'zod';
import { paginate, type ServiceClient } from '../../client/index.ts';
import type { paths } from '../../client/schema.d.ts';
import { explaining } from '../../bench/support/explain.ts';
import { listConnections, type ConnectionFilter } from '../../src/db/connection/connection-list.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { asTenant, none, sql, type Tx } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import type { Finding } from '../../src/domain/observation/finding.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { makeEndpoint } from '../support/fixtures/make-endpoint.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  client = api.client(tenant.test.key);
});
afterAll(() => api.stop());

type Query = NonNullable<paths['/v1/connections']['get']['parameters']['query']>;
const fetchList = (query: Query, by = client) => by.GET('/v1/connections', { params: { query } });
const names = async (query: Query, by = client) =>
  expectData(await fetchList(query, by)).data.map(({ hostname }) => hostname);

const finding = (code: Finding['code']): Finding => ({ code, severity: 'error', message: 'm', fix: null });

/** Creates a connection of the test application and gives it a provider and findings by a transition. */
async function made(hostname: string, provider: string | null, codes: Finding['code'][]): Promise<string> {
  const { id } = await newConnection(api.deps.pool, tenant, hostname);
  await api.deps.pool.transaction(async (tx) => {
    const change = { now: new Date(), provider, findings: codes.map(finding) };
    await transition(tx, (await getConnection(tx, id))!, 'checkStarted', change);
  });
  return id;
}

test('lists are filtered by the beginning of a hostname, by provider and by finding, alone and together', async () => {
  await made('alpha.filters.test', 'cloudflare', ['proxied']);
  await made('alpha-two.filters.test', 'route53', ['proxied', 'missing']);
  await made('beta.filters.test', 'cloudflare', ['missing']);
  const other = await api.tenant();
  await newConnection(api.deps.pool, other, 'alpha-three.filters.test');

  expect(await names({ hostname_prefix: ' ALPHA' })).toEqual(['alpha-two.filters.test', 'alpha.filters.test']);
  expect(await names({ hostname_prefix: 'alpha.' })).toEqual(['alpha.filters.test']);
  expect(await names({ hostname_prefix: 'lpha' })).toEqual([]);
  expect(await names({ hostname_prefix: '%' })).toEqual([]);
  expect(await names({ hostname_prefix: 'bücher' })).toEqual([]);
  expect(await names({ provider: 'cloudflare' })).toEqual(['beta.filters.test', 'alpha.filters.test']);
  expect(await names({ finding: 'proxied' })).toEqual(['alpha-two.filters.test', 'alpha.filters.test']);
  expect(await names({ finding: 'missing', provider: 'cloudflare' })).toEqual(['beta.filters.test']);
  expect(await names({ finding: 'proxied', hostname_prefix: 'alpha-', state: 'verifying' })).toEqual([
    'alpha-two.filters.test',
  ]);
  expect(await names({ finding: 'proxied', application_id: other.test.application_id })).toEqual([]);
  expect(await names({ finding: 'proxied' }, api.client(tenant.live.key))).toEqual([]);
  expect(await names({ finding: 'proxied', environment: 'all' }, api.client(tenant.live.key))).toHaveLength(2);
  expect(await names({ finding: 'proxied' }, api.client(other.test.key))).toEqual([]);
});

test('the beginning of a hostname in another alphabet finds its A-label', async () => {
  await newConnection(api.deps.pool, tenant, 'xn--bcher-kva.filters.test');

  expect(await names({ hostname_prefix: 'Bücher.filters.test' })).toEqual(['xn--bcher-kva.filters.test']);
});

test('what needs attention can be listed, as many as are counted', async () => {
  const id = await made('stalled.attention.test', null, []);
  const archived = await made('archived.attention.test', null, []);
  const { pool } = api.deps;
  await pool.transaction(async (tx) => {
    for (const trigger of ['challengeSeen', 'recordsAddedManually', 'propagationSlow'] as const)
      await transition(tx, (await getConnection(tx, id))!, trigger, { now: new Date(), error_code: 'caa_blocked' });
    await archiveConnection(tx, (await lockConnection(tx, archived))!, new Date());
    await tx.query(sql.type(none)`UPDATE connections SET dangling = true WHERE id = ${archived}`);
  });

  const { attention } = expectData(await client.GET('/v1/connections:counts'));
  for (const [key, hostname] of [
    ['stalled', 'stalled.attention.test'],
    ['failing_certificates', 'stalled.attention.test'],
    ['dangling', 'archived.attention.test'],
  ] as const) {
    expect(await names({ attention: key })).toEqual([hostname]);
    expect(attention[key]).toBe(1);
  }
  expect(await names({ attention: 'drifted' })).toEqual([]);
  expect(await names({ attention: 'stalled', hostname_prefix: 'other' })).toEqual([]);
});

test('pages of a filtered list skip and repeat nothing while rows are added and leave the filter', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await made(`paged-${i}.pages.test`, 'gandi', ['stale_aaaa']));
  const queries: Query[] = [{ finding: 'stale_aaaa' }, { provider: 'gandi' }, { hostname_prefix: 'paged-' }];
  for (const query of queries) {
    const first = expectData(await fetchList({ ...query, limit: 3 }));
    await made(`paged-new-${someName()}.test`, 'gandi', ['stale_aaaa']);
    const rest = paginate(async (cursor) =>
      expectData(await fetchList({ ...query, limit: 3, cursor: cursor ?? first.next_cursor! })),
    );
    const seen = [...first.data.map(({ id }) => id)];
    for await (const { id } of rest) seen.push(id);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(ids));
  }
  const first = expectData(await fetchList({ finding: 'stale_aaaa', hostname_prefix: 'paged-', limit: 4 }));
  const last = first.data.at(-1)!.id;
  await api.deps.pool.query(sql.type(none)`UPDATE connections SET findings = '[]' WHERE id = ${last}`);
  const second = expectData(
    await fetchList({ finding: 'stale_aaaa', hostname_prefix: 'paged-', limit: 100, cursor: first.next_cursor! }),
  );
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
});

test('every filter reads an index as the tenant, and no table completely', async () => {
  const { pool } = api.deps;
  await pool.transaction(async (tx) => {
    await tx.query(sql.type(none)`
      INSERT INTO connections (
        id, tenant_id, application_id, environment, hostname, kind, state, provider, challenge_token, desired_records,
        findings, created_at)
      SELECT gen_random_uuid(), ${tenant.tenant_id}, ${tenant.test.application_id}, 'test', 'many-' || n || '.test', 'subdomain',
        'failed', CASE WHEN n % 500 = 0 THEN 'hetzner' ELSE 'cloudflare' END, 't', '[]',
        CASE WHEN n % 500 = 0 THEN '[{"code": "quoted_value", "severity": "error", "message": "m", "fix": null}]' ELSE '[]' END::jsonb, now() - n * interval '1 second'
      FROM generate_series(1, 20000) AS n
    `);
  });
  await pool.query(sql.type(z.object({}))`ANALYZE connections`);
  await pool.query(sql.type(z.object({}))`ANALYZE connection_findings`);
  const filters: [Omit<ConnectionFilter, 'environments'>, string][] = [
    [{ hostname_prefix: 'many-777' }, 'connections_by_prefix'],
    [{ provider: 'hetzner' }, 'connections_by_provider'],
    [{ finding: 'quoted_value' }, 'connection_findings_in_order'],
    [{ attention: 'failing_certificates' }, 'connections_failing_certificates'],
    [{ attention: 'stalled' }, 'connections_by_state'],
  ];
  for (const [filter, index] of filters) {
    const explained: Parameters<typeof explaining>[1] = [];
    await asTenant(pool, tenant.tenant_id, (tx) =>
      listConnections(
        explaining(tx, explained) as Tx,
        { environments: ['test'], ...filter },
        { limit: 20, after: null },
      ),
    );
    const { scans, indexes } = explained[0]!;
    expect([filter, indexes]).toEqual([filter, expect.arrayContaining([index])]);
    // The tables of applications and checks have few rows here, so reading one completely may be right.
    expect(scans.filter((table) => table.startsWith('connection'))).toEqual([]);
  }
});

test('the deliveries of a connection are listed, and not those of another', async () => {
  const owner = await api.tenant();
  const { endpointId } = await makeEndpoint(api.deps, owner);
  const [one, other] = [
    await newConnection(api.deps.pool, owner, someName(), { environment: 'live' }),
    await newConnection(api.deps.pool, owner, someName(), { environment: 'live' }),
  ];
  const list = (connection_id: string, key = owner.live.key) =>
    api.client(key).GET('/v1/deliveries', { params: { query: { connection_id } } });

  const { data } = expectData(await list(one.id));

  expect(data).toEqual([
    expect.objectContaining({ endpoint_id: endpointId, event_type: 'domain.added', status: 'pending' }),
  ]);
  const [foreign] = expectData(await list(other.id)).data;
  expect(foreign!.id).not.toBe(data[0]!.id);
  for (const key of [owner.test.key, tenant.live.key]) expect((await list(one.id, key)).response.status).toBe(404);
  const failed = await api
    .client(owner.live.key)
    .GET('/v1/deliveries', { params: { query: { connection_id: one.id, status: 'failed' } } });
  expect(expectData(failed).data).toEqual([]);
});

test('batches are listed newest first, by application and environment, with their progress', async () => {
  const owner = await api.tenant();
  const [live, test_] = [api.client(owner.live.key), api.client(owner.test.key)];
  const create = async (by: ServiceClient, application_id: string, hostnames: string[]) =>
    expectData(await by.POST('/v1/batches', { body: { application_id, hostnames } })).batch_id;
  const first = await create(live, owner.live.application_id, [someName(), 'not a hostname']);
  const second = await create(live, owner.live.application_id, [someName()]);
  const sandboxed = await create(test_, owner.test.application_id, ['not a hostname']);
  const list = async (by: ServiceClient, query: object = {}) =>
    expectData(await by.GET('/v1/batches', { params: { query } }));

  const { data } = await list(live);

  expect(data).toMatchObject([
    { batch_id: second, total: 1, unsettled: 1, environment: 'live', completed_at: null },
    { batch_id: first, total: 2, unsettled: 1 },
  ]);
  expect((await list(live, { application_id: owner.test.application_id })).data).toMatchObject([
    { batch_id: sandboxed, total: 1, unsettled: 0, completed_at: expect.any(String) as string },
  ]);
  expect((await list(test_, { environment: 'all' })).data.map(({ batch_id }) => batch_id)).toEqual([sandboxed]);
  const page = await list(live, { limit: 1 });
  expect((await list(live, { limit: 1, cursor: page.next_cursor! })).data).toMatchObject([{ batch_id: first }]);
});

test('sandbox records are listed page by page, newest first, and one value of several can be removed', async () => {
  const owner = await api.tenant();
  const sandbox = api.client(owner.test.key);
  const record = (value: string) => ({ host: 'shop.table.test', type: 'TXT' as const, value });
  const put = async (...values: string[]) =>
    expectData(await sandbox.PUT('/v1/sandbox/records', { body: { records: values.map(record) } }));
  const list = async (query: object = {}) =>
    expectData(await sandbox.GET('/v1/sandbox/records', { params: { query } }));
  await put('a', 'b', 'c');

  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, cursor: first.next_cursor! });

  expect([...first.data, ...second.data].map(({ value }) => value).toSorted()).toEqual(['a', 'b', 'c']);
  expect(second.next_cursor).toBeNull();
  expect(first.data[0]).toEqual({
    ...record(first.data[0]!.value),
    ttl: 300,
    priority: null,
    visible_at: expect.any(String) as string,
  });
  await put('a', 'c');
  expect((await list()).data.map(({ value }) => value).toSorted()).toEqual(['a', 'c']);
  expect(expectData(await client.GET('/v1/sandbox/records')).data).toEqual([]);
});
