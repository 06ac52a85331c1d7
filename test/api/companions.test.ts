import type { ServiceClient } from '../../client/index.ts';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { findKey } from '../../src/db/tenant/keys.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
let tenant: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  client = api.client(tenant.live.key);
});
afterAll(() => api.stop());

const domain = () => `n${crypto.randomUUID().slice(0, 8)}.com`;
const create = (hostname: string, companion?: boolean, by = client, owner = tenant) =>
  by.POST('/v1/connections', {
    body: { application_id: owner.live.application_id, hostname, ...(companion === undefined ? {} : { companion }) },
  });
const read = async (id: string) => expectData(await client.GET('/v1/connections/{id}', { params: { path: { id } } }));
const list = async (hostname: string) =>
  expectData(await client.GET('/v1/connections', { params: { query: { hostname } } })).data;
const hosts = (records: { host: string; type: string }[]) => records.map(({ host, type }) => `${type} ${host}`);

test('connecting an apex also connects www, and one list shows the records of both', async () => {
  const apex = domain();

  const made = expectData(await create(apex, true));
  const main = await read(made.id);
  const companion = await read(main.companion!.connection_id);

  expect(main.companion).toEqual({
    connection_id: companion.id,
    hostname: `www.${apex}`,
    state: 'pending_ownership',
    role: 'companion',
  });
  expect(companion.companion).toEqual({
    connection_id: main.id,
    hostname: apex,
    state: 'pending_ownership',
    role: 'main',
  });
  expect(companion.ownership_challenge.value).not.toBe(main.ownership_challenge.value);
  expect(hosts(main.records_to_add)).toEqual([
    `TXT _service-challenge.${apex}`,
    `A ${apex}`,
    `TXT _service-challenge.www.${apex}`,
    `CNAME www.${apex}`,
  ]);
  expect(hosts(main.desired_records)).toEqual([`A ${apex}`]);
  expect(hosts(companion.records_to_add)).toEqual([`TXT _service-challenge.www.${apex}`, `CNAME www.${apex}`]);
});

test('connecting www also connects the apex, and a repeated request creates no third connection', async () => {
  const apex = domain();

  const first = expectData(await create(`www.${apex}`, true));
  const again = await create(`www.${apex}`, true);

  expect([again.response.status, again.data?.id]).toEqual([200, first.id]);
  expect((await read(first.id)).companion).toMatchObject({ hostname: apex, role: 'companion' });
  expect([await list(apex), await list(`www.${apex}`)].map((rows) => rows.length)).toEqual([1, 1]);
});

test('a hostname without a companion is refused, and a browser with a bound token cannot ask for one', async () => {
  const apex = domain();
  const mintedBy = (await findKey(api.deps.pool, tenant.live.key))!.id;
  const grant = { tenantId: tenant.tenant_id, applicationId: tenant.live.application_id, environment: 'live' } as const;
  const bound = { ...grant, hostname: apex, externalId: null, mintedBy };
  const { token } = await mintWidgetToken(api.deps.keys.widgetTokens, api.deps.baseUrl, bound, new Date());

  const below = await create(`shop.${apex}`, true);
  const browser = await create(apex, true, api.client(token));

  expect([below.response.status, below.error]).toMatchObject([400, { error: { details: [{ code: 'no_companion' }] } }]);
  expect([browser.response.status, await list(apex)]).toEqual([403, []]);
});

test('a companion that another connection holds is skipped, and the main connection is created', async () => {
  const apex = domain();
  const other = await api.tenant();
  const held = expectData(await create(`www.${apex}`, false, api.client(other.live.key), other));
  await api.deps.pool.transaction(async (tx) => {
    for (const trigger of ['checkStarted', 'challengeSeen'] as const)
      await transition(tx, (await getConnection(tx, held.id))!, trigger, { now: new Date() });
  });

  const made = await create(apex, true);

  expect(made.response.status).toBe(201);
  expect((await read(made.data!.id)).companion).toBeNull();
});

test('archiving the main connection archives its companion, but not the other way round', async () => {
  const [first, second] = [domain(), domain()];
  const [one, two] = [expectData(await create(first, true)), expectData(await create(second, true))];
  const companionOf = async (id: string) => (await read(id)).companion!.connection_id;
  const [ofOne, ofTwo] = [await companionOf(one.id), await companionOf(two.id)];
  const archive = (id: string) => client.DELETE('/v1/connections/{id}', { params: { path: { id } } });

  await archive(one.id);
  await archive(ofTwo);

  expect([(await read(one.id)).state, (await read(ofOne)).state]).toEqual(['archived', 'archived']);
  expect([(await read(two.id)).state, (await read(two.id)).companion]).toEqual(['pending_ownership', null]);
});

test("the application's setting applies by default, in a batch too, and rows for both hostnames stay two", async () => {
  const owner = await api.tenant();
  const by = api.client(owner.live.key);
  const id = owner.live.application_id;
  await by.PATCH('/v1/applications/{id}', { params: { path: { id } }, body: { companion: true } });
  const [alone, without, inBatch, both] = [domain(), domain(), domain(), domain()];

  await create(alone, undefined, by, owner);
  await create(without, false, by, owner);
  const hostnames = [inBatch, `shop.${inBatch}`, both, `www.${both}`];
  const batch = expectData(await by.POST('/v1/batches', { body: { application_id: id, hostnames } }));

  const companions = async (apex: string) => {
    const { data } = expectData(await by.GET('/v1/connections', { params: { query: { hostname: `www.${apex}` } } }));
    return data.map(({ batch_id }) => batch_id);
  };
  expect(await companions(alone)).toEqual([null]);
  expect(await companions(without)).toEqual([]);
  expect(await companions(inBatch)).toEqual([batch.batch_id]);
  expect(batch.results).toMatchObject({ created: 4 });
  const detail = expectData(
    await by.GET('/v1/connections/{id}', { params: { path: { id: batch.rows[2]!.connection_id! } } }),
  );
  expect(detail.companion).toBeNull();
});
