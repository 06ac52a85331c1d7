import type { ServiceClient } from '../../client/index.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { STATES } from '../../src/domain/connection/connection.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { makeEndpoint } from '../support/fixtures/make-endpoint.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
let live: ServiceClient;
let test_: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  live = api.client(tenant.live.key);
  test_ = api.client(tenant.test.key);
  const others = await api.tenant();
  await newConnection(api.deps.pool, others, someName(), { environment: 'live' });
});
afterAll(() => api.stop());

type CountsQuery = { application_id?: string; environment?: 'test' | 'live' | 'all' };
const counts = async (query: CountsQuery = {}, by = live) =>
  expectData(await by.GET('/v1/connections:counts', { params: { query } }));
const series = async (query: CountsQuery & { days?: number } = {}, by = live) =>
  expectData(await by.GET('/v1/connections:series', { params: { query } }));

const DAY = 86_400_000;
/** Makes a connection go live this long after it was created, then archives it if that is wanted. */
async function goLive(
  environment: 'test' | 'live',
  { seconds, archived = false }: { seconds: number; archived?: boolean },
) {
  const { pool } = api.deps;
  const { id, created_at } = await newConnection(
    pool,
    tenant,
    environment === 'live' ? someName() : `${someName()}.test`,
    { environment },
  );
  const now = new Date(created_at.getTime() + seconds * 1_000);
  await pool.transaction(async (tx) => {
    for (const trigger of ['checkStarted', 'challengeSeen', 'recordsAddedManually', 'recordsInPlace'] as const)
      await transition(tx, (await getConnection(tx, id))!, trigger, { now });
    if (archived) await archiveConnection(tx, (await lockConnection(tx, id))!, now);
  });
  return id;
}

test('every state has a count, and each environment only its own connections', async () => {
  const none_ = await counts({ environment: 'all' });
  expect(Object.keys(none_.by_state)).toEqual([...STATES]);
  expect(none_.total).toBe(0);

  await newConnection(api.deps.pool, tenant, someName(), { environment: 'live' });
  await goLive('live', { seconds: 1 });
  await newConnection(api.deps.pool, tenant, `${someName()}.test`);

  expect(await counts()).toMatchObject({ total: 2, by_state: { pending_ownership: 1, live: 1, archived: 0 } });
  expect(await counts({ environment: 'test' })).toMatchObject({
    total: 1,
    by_state: { pending_ownership: 1, live: 0 },
  });
  expect(await counts({ environment: 'all' })).toMatchObject({ total: 3, by_state: { pending_ownership: 2, live: 1 } });
  expect(await counts({ application_id: tenant.test.application_id })).toMatchObject({ total: 1 });
  expect(await counts({}, test_)).toMatchObject({ total: 1 });
  expect(await counts({ environment: 'all' }, test_)).toMatchObject({ total: 1 });
  expect(await counts({ application_id: tenant.live.application_id }, test_)).toMatchObject({ total: 0 });
});

test('what needs attention is counted: connections, refused credentials and disabled endpoints', async () => {
  const { pool } = api.deps;
  const id = await goLive('live', { seconds: 1 });
  await pool.transaction(async (tx) => {
    const row = (await getConnection(tx, id))!;
    await transition(tx, row, 'recordsDrifted', { now: new Date(), certificate_status: 'expired' });
  });
  const { endpointId } = await makeEndpoint(api.deps, tenant);
  await pool.query(sql.type(none)`
    UPDATE webhook_endpoints SET active = false, disabled_at = now(), disabled_reason = 'gone' WHERE id = ${endpointId}
  `);
  await pool.query(sql.type(none)`
    INSERT INTO credentials (id, tenant_id, application_id, provider, hint, status, key_id, wrapped_key, ciphertext)
    SELECT gen_random_uuid(), ${tenant.tenant_id}, ${tenant.live.application_id}, 'powerdns', 'x', status, 'k', '', ''
    FROM unnest(ARRAY['invalid', 'ok']) AS status
  `);

  const attention = {
    stalled: 0,
    drifted: 1,
    failing_certificates: 1,
    dangling: 0,
    refused_credentials: 1,
    disabled_endpoints: 1,
  };
  expect((await counts()).attention).toEqual(attention);
  expect((await counts({ application_id: tenant.live.application_id })).attention).toEqual(attention);
  const nothing = Object.fromEntries(Object.keys(attention).map((key) => [key, 0]));
  expect((await counts({ environment: 'test' })).attention).toEqual(nothing);
});

test('the series has every day up to today, and a histogram of the time to live', async () => {
  const owner = await api.tenant();
  [tenant, live] = [owner, api.client(owner.live.key)];
  await goLive('live', { seconds: 10 });
  await goLive('live', { seconds: 11 });
  await goLive('live', { seconds: 11, archived: true });
  await goLive('test', { seconds: 1 });
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 10);

  const { days, seconds_to_live } = await series();

  expect(days).toHaveLength(30);
  const recent = days.filter(({ day }) => day === today || day === yesterday); // midnight may pass during the test
  const total = (key: 'created' | 'live' | 'archived') => recent.reduce((sum, day) => sum + day[key], 0);
  expect([total('created'), total('live'), total('archived')]).toEqual([3, 3, 1]);
  expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
  expect(seconds_to_live.map(({ up_to }) => up_to)).toEqual([10, 30, 60, 300, 900, 3600, 21600, 86400, 259200, null]);
  expect(seconds_to_live.slice(0, 3).map(({ count }) => count)).toEqual([1, 2, 0]);
  expect((await series({ days: 1 })).days).toHaveLength(1);
  expect((await series({ days: 90, application_id: owner.test.application_id })).seconds_to_live[0]).toEqual({
    up_to: 10,
    count: 1,
  });
});

test('a caller that has the counts already gets a 304, and 200 after a change', async () => {
  const url = `${api.baseUrl}/v1/connections:counts`;
  const authorization = `Bearer ${tenant.live.key}`;
  const first = await fetch(url, { headers: { authorization } });
  const known = { authorization, 'if-none-match': first.headers.get('etag')! };
  expect((await fetch(url, { headers: known })).status).toBe(304);
  await newConnection(api.deps.pool, tenant, someName(), { environment: 'live' });
  expect((await fetch(url, { headers: known })).status).toBe(200);
});

test.each([
  'connections:counts?environment=staging',
  'connections:counts?application_id=mine',
  'connections:counts?days=3',
  'connections:series?days=0',
  'connections:series?days=91',
  'connections:series?days=x',
  'connections?hostname_prefix=',
  'connections?hostname_prefix=%00',
  'connections?provider=Cloudflare%20Inc',
  'connections?finding=unheard_of',
  // It is made when a connection is shown, so no list can find it.
  'connections?finding=drifted_long',
  'connections?attention=disabled_endpoints',
  'deliveries',
  'deliveries?connection_id=x',
  'batches?application_id=x',
])('GET /v1/%s is refused with 400', async (path) => {
  const response = await fetch(`${api.baseUrl}/v1/${path}`, {
    headers: { authorization: `Bearer ${tenant.live.key}` },
  });
  expect(response.status).toBe(400);
});
