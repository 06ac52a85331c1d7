import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { runningServers } from '../../src/embedded/orphans.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The sandbox as a tenant uses it: the whole service, and only the sandbox's DNS. */
let service: Service;
beforeAll(async () => {
  service = await Service.start(await tempFolder());
});
afterAll(() => service.stop());

describe('a hostname whose CAA record forbids our CA', () => {
  const get = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;

  test('goes live with a warning that a public CA would refuse it, until the record allows it', async () => {
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

test('hostnames of stall.test, fail.test and expire.test reach in minutes what takes others days', async () => {
  const connect = async (kind: string) => {
    const id = await service.connect(`${randomUUID().slice(0, 8)}.${kind}.test`);
    return async () => (await service.call('GET', `/connections/${id}`)).body;
  };
  const [stalling, failing, expiring] = [await connect('stall'), await connect('fail'), await connect('expire')];
  await until(async () => (await stalling())['state'] === 'stalled', 150_000);
  expect(await stalling()).toMatchObject({ error_code: 'record_missing' });
  await until(async () => (await expiring())['error_code'] === 'cert_failed', 150_000);
  expect(await expiring()).toMatchObject({ state: 'live', certificate: { status: 'expired' } });
  await until(async () => (await failing())['state'] === 'failed', 150_000);
  expect(await failing()).toMatchObject({ error_code: 'propagation_timeout' });
}, 480_000);

test('a hostname with before_dns is ready before its records are written, and goes live when it no longer holds', async () => {
  const { test: demo } = await service.demo();
  const hostname = `${randomUUID().slice(0, 8)}.managed.test`;
  const body = { application_id: demo.application_id, hostname, before_dns: true, point: 'hold' };
  const made = await service.call('POST', '/connections', body);
  expect(made).toMatchObject({ status: 201 });
  const path = `/connections/${String(made.body['id'])}`;
  const get = async () => (await service.call('GET', path)).body;
  await until(async () => (await get())['ready_to_point'] === true);
  const { state, records_to_add } = await get();
  expect([state, (records_to_add as { status: string }[]).at(-1)]).toMatchObject(['dns_writing', { status: 'ready' }]);

  expect(await service.call('PATCH', path, { point: 'auto' })).toMatchObject({ status: 200 });
  expect(await service.untilLive(String(made.body['id']))).toMatchObject({ ready_to_point: null });
});

test('admissions, which name origins, are on the internal listener and never on the public one', async () => {
  const { base_url, internal_url } = await service.demo();
  expect(new URL(internal_url).hostname).toBe('127.0.0.1');
  expect(new URL(internal_url).port).not.toBe(new URL(base_url).port);
  const statusAt = async (base: string) => (await fetch(`${base}/internal/admission?host=a.auto.test`)).status;
  expect([await statusAt(base_url), await statusAt(internal_url)]).toEqual([404, 200]);
  expect((await fetch(`${base_url}/internal/ask?domain=a.auto.test`)).status).toBe(403);
});

test('a conflicting record is shown as published, reported as the error, and recorded on the timeline as a reason', async () => {
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

test('domains:check reports conflicting records, of the sandbox domain and set manually', async () => {
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

test('verifying a hostname that another connection of the same tenant holds returns that connection', async () => {
  const hostname = `${randomUUID().slice(0, 8)}.test`;
  const { body: second } = await service.call('POST', '/applications', { name: 'Second' });
  const start = async (application_id: unknown) => {
    const { body } = await service.call('POST', '/connections', { application_id, hostname });
    return body as { id: string; ownership_challenge: { name: string; value: string } };
  };
  const [holder, late] = [await start((await service.demo()).test.application_id), await start(second['id'])];
  const verify = async ({ id, ownership_challenge: { name, value } }: typeof holder) => {
    await service.call('PUT', '/sandbox/records', { records: [{ host: name, type: 'TXT', value }] });
    return service.call('POST', `/connections/${id}/verify`);
  };
  expect((await verify(holder)).status).toBe(200);

  const { status, body } = await verify(late);

  const details = { hostname, same_tenant: true, connection_id: holder.id };
  expect([status, body]).toMatchObject([409, { error: { code: 'HostnameConflict', details } }]);
});

describe('a sandbox credential', () => {
  const give = async (zone: string) => {
    const { test } = await service.demo();
    const body = { provider: 'sandbox', credentials: { zone } };
    return service.call('POST', `/applications/${test.application_id}/credentials`, body);
  };

  test('brings a hostname of its zone live without a manual step, and DELETE restores the zone', async () => {
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

  test('that met a conflicting record writes once the application allows replacing it', async () => {
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

  test('is refused for a zone of the real DNS and for a live application, with the reason', async () => {
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

  test('is listed among the providers, with its single field', async () => {
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
