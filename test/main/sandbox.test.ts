import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { runningServers } from '../../src/embedded/orphans.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The sandbox as a tenant tries it: the whole service, and no DNS but the sandbox's. */
let service: Service;
beforeAll(async () => {
  service = await Service.start(await tempFolder());
});
afterAll(() => service.stop());

describe('a name whose CAA forbids us', () => {
  const get = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;

  test('is warned of what a public authority would refuse, goes live all the same, and is warned until it is allowed', async () => {
    const id = await service.connect(`${randomUUID().slice(0, 8)}.caa.test`);
    const live = await service.untilLive(id);
    expect(live).toMatchObject({ error_code: null, certificate: { status: 'issued' } });
    const record = { host: 'caa.test', type: 'CAA', value: '0 issue "letsencrypt.org"' };
    const warning = [{ code: 'caa_blocked', severity: 'warning', record }];
    expect(live['findings']).toMatchObject(warning);

    await service.call('POST', `/connections/${id}/records:check`);
    await until(async () => (await get(id))['last_checked_at'] !== live['last_checked_at']);
    expect((await get(id))['findings']).toMatchObject(warning);

    const forbidding = { ...record, value: '0 issue "other-authority.test"' };
    await service.call('PUT', '/sandbox/records', { records: [forbidding, record] });
    await until(async () => ((await get(id))['findings'] as object[]).length === 0);
    expect(await get(id)).toMatchObject({ state: 'live', error_code: null, certificate: live['certificate'] });
  });
});

test('a record in the way is shown as it stands, named as the error, and told on the timeline as a reason', async () => {
  const hostname = `${randomUUID().slice(0, 8)}.conflict.test`;
  const id = await service.connect(hostname);
  const get = async () => (await service.call('GET', `/connections/${id}`)).body;
  await until(async () => (await get())['error_code'] === 'record_conflict', 30_000);
  const seen = await get();
  expect(seen).toMatchObject({
    state: 'propagating',
    provider: 'sandbox',
    findings: [{ code: 'wrong_value', severity: 'error' }],
    observed_records: [{ host: hostname, type: 'CNAME', value: 'somewhere-else.test', ttl: 300, propagated: false }],
  });
  const [last, ...before] = seen['timeline'] as { kind: string; from: string | null; to: string | null }[];
  expect(last).toMatchObject({ kind: 'reason', from: null, to: null });
  expect(before.filter(({ kind }) => kind === 'move').map(({ to }) => to)).toEqual([
    'propagating',
    'verified',
    'pending_ownership',
  ]);
});

test('domains:check names what stands in the way, by custom or by hand', async () => {
  const [conflicting, occupied, free] = ['conflict.test', 'test', 'test'].map(
    (below) => `${randomUUID().slice(0, 8)}.x.${below}`,
  );
  const record = { host: occupied, type: 'A', value: '192.0.2.7' };
  await service.call('PUT', '/sandbox/records', { records: [record] });

  const conflicts = async (domain: string | undefined) =>
    (await service.call('POST', '/domains:check', { domain })).body['record_conflicts'];

  expect(await conflicts(conflicting)).toMatchObject([{ host: conflicting, type: 'CNAME' }]);
  expect(await conflicts(occupied)).toMatchObject([record]);
  expect(await conflicts(free)).toEqual([]);
});

test('a name that another connection of the tenant holds is told to be its own when it is proved again', async () => {
  const hostname = `${randomUUID().slice(0, 8)}.test`;
  const { body: second } = await service.call('POST', '/applications', { name: 'Second' });
  const start = async (application_id: unknown) => {
    const { body } = await service.call('POST', '/connections', { application_id, hostname });
    return body as { id: string; ownership_challenge: { name: string; value: string } };
  };
  const [holder, late] = [await start((await service.demo()).test.application_id), await start(second['id'])];
  const prove = async ({ id, ownership_challenge: { name, value } }: typeof holder) => {
    await service.call('PUT', '/sandbox/records', { records: [{ host: name, type: 'TXT', value }] });
    return service.call('POST', `/connections/${id}/verify`);
  };
  expect((await prove(holder)).status).toBe(200);

  const { status, body } = await prove(late);

  const details = { hostname, same_tenant: true, connection_id: holder.id };
  expect([status, body]).toMatchObject([409, { error: { code: 'HostnameConflict', details } }]);
});

describe('a credential of the sandbox', () => {
  const give = async (zone: string) => {
    const { test } = await service.demo();
    const body = { provider: 'sandbox', credentials: { zone } };
    return service.call('POST', `/applications/${test.application_id}/credentials`, body);
  };

  test('takes a name of its zone to live without a human step, and DELETE leaves the zone as before', async () => {
    const zone = `customer-${randomUUID().slice(0, 8)}.test`;
    const hostname = `shop.${zone}`;
    const theirs = { host: `_service-challenge.${hostname}`, type: 'TXT', value: 'somebody else’s' };
    await service.call('PUT', '/sandbox/records', { records: [theirs] });
    const before = await rowsUnder(service.dataDir, zone);
    expect(await give(zone)).toMatchObject({ status: 201, body: { status: 'ok', zones: [zone], provider: 'sandbox' } });

    const id = await service.connect(hostname);
    const live = await service.untilLive(id);

    expect(live).toMatchObject({ setup_type: 'automatic', error_code: null, provider: 'sandbox' });
    const during = await rowsUnder(service.dataDir, zone);
    expect(during).toEqual(expect.arrayContaining(before));
    expect(during).toHaveLength(before.length + 2);

    await service.call('DELETE', `/connections/${id}`);
    await until(async () => (await service.call('GET', `/connections/${id}`)).body['cleanup'] === 'done', 30_000);
    expect(await rowsUnder(service.dataDir, zone)).toEqual(before);
  });

  test('that met a record in the way writes after all once the application lets such records be replaced', async () => {
    const zone = `customer-${randomUUID().slice(0, 8)}.test`;
    const hostname = `shop.${zone}`;
    await service.call('PUT', '/sandbox/records', {
      records: [{ host: hostname, type: 'CNAME', value: 'elsewhere.example' }],
    });
    await give(zone);
    const id = await service.connect(hostname);
    const get = async () => (await service.call('GET', `/connections/${id}`)).body;
    await until(async () => (await get())['error_code'] === 'record_conflict', 30_000);
    expect(await get()).toMatchObject({ state: 'propagating', setup_type: 'manual' });

    const { test } = await service.demo();
    const setPolicy = (conflict_policy: string) =>
      service.call('PATCH', `/applications/${test.application_id}`, { conflict_policy });
    await setPolicy('replace');
    expect(await service.untilLive(id)).toMatchObject({ error_code: null, setup_type: 'automatic' });
    await setPolicy('refuse');
  });

  test('is refused for a zone of the real DNS and for a live application, and says why', async () => {
    expect(await give('customer.com')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid', message: expect.stringContaining('under .test') as string } },
    });

    const { base_url, live } = await service.demo();
    const response = await fetch(`${base_url}/v1/applications/${live.application_id}/credentials`, {
      method: 'POST',
      headers: { authorization: `Bearer ${live.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'sandbox', credentials: { zone: 'customer.test' } }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid', details: [{ path: 'body.provider', code: 'test_only' }] },
    });
  });

  test('is among the providers, with the one field it needs', async () => {
    const { body } = await service.call('GET', '/providers');
    const listed = (body['data'] as { slug: string }[]).find(({ slug }) => slug === 'sandbox');
    expect(listed).toMatchObject({ auth: { fields: [{ name: 'zone', required: true, secret: false }] } });
  });
});

async function rowsUnder(dataDir: string, zone: string): Promise<object[]> {
  const servers = await runningServers(dataDir);
  const client = new pg.Client({ connectionString: servers!.database_url });
  await client.connect();
  const { rows } = await client.query<object>(
    'SELECT * FROM sandbox_records WHERE host = $1 OR host LIKE $2 ORDER BY host, type, value',
    [zone, `%.${zone}`],
  );
  await client.end();
  return rows;
}
