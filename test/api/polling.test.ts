import { etagOf } from '../../src/api/etag.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

const ORIGIN = 'https://app.shop-site.com';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  const path = { id: tenant.live.application_id };
  expectData(
    await api
      .client(tenant.live.key)
      .PATCH('/v1/applications/{id}', { params: { path }, body: { allowed_origins: [ORIGIN] } }),
  );
});
afterAll(() => api.stop());

const connect = async () =>
  expectData(
    await api
      .client(tenant.live.key)
      .POST('/v1/connections', { body: { application_id: tenant.live.application_id, hostname: someName() } }),
  );
const read = (id: string, headers: Record<string, string> = {}) =>
  send('GET', `${api.baseUrl}/v1/connections/${id}`, { credential: tenant.live.key, headers });

test('a caller with the newest answer gets a 304 until the answer changes', async () => {
  const { id } = await connect();
  const first = await read(id);
  const etag = first.headers.get('etag')!;
  expect(first.headers.get('retry-after')).toBe('2');

  for (const sent of [etag, `"other", ${etag.replace('W/', '')}`, '*']) {
    const again = await read(id, { 'if-none-match': sent });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('retry-after')).toBe('2');
  }

  await api.deps.pool.query(sql.type(none)`UPDATE connections SET provider = 'cloudflare' WHERE id = ${id}`);
  const changed = await read(id, { 'if-none-match': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test('a caller that cannot reach the connection never gets a 304', async () => {
  const { id } = await connect();
  const etag = (await read(id)).headers.get('etag')!;
  const other = await api.tenant();
  const answer = await send('GET', `${api.baseUrl}/v1/connections/${id}`, {
    credential: other.live.key,
    headers: { 'if-none-match': etag },
  });
  expect(answer.status).toBe(404);
});

test('a signed URL does not change the tag, but its presence does', () => {
  const body = (apply_url: string | null) => ({ state: 'pending_ownership', domain_connect: { apply_url } });
  expect(etagOf(body('https://a'))).toBe(etagOf(body('https://b')));
  expect(etagOf(body(null))).not.toBe(etagOf(body('https://a')));
});

test('a browser may send the tag and read it', async () => {
  const { id } = await connect();
  const preflight = await send('OPTIONS', `${api.baseUrl}/v1/connections/${id}`, {
    headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('If-None-Match');
  const answer = await read(id, { origin: ORIGIN });
  expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
});

test('before the ownership proof, findings of records:check are shown next to the challenge', async () => {
  const { id, hostname } = await connect();
  const record = { host: hostname, type: 'CNAME', value: 'edge.service.dev', ttl: 300, priority: null };
  const finding = { code: 'missing', severity: 'error', message: 'There is none.', fix: null, record };
  const seen = {
    verdict: 'mismatch',
    findings: [finding],
    records: [{ ...record, propagated: false, observed_value: null, observed: [] }],
    evidence: { zone: { name: hostname } },
  };
  await api.deps.pool.query(sql.type(none)`
    INSERT INTO observations (tenant_id, connection_id, purpose, verdict, first_at, last_at, seen)
    SELECT tenant_id, id, 'records', 'mismatch', now(), now(), ${sql.jsonb(seen)} FROM connections WHERE id = ${id}
  `);
  const { text } = await read(id);
  expect(JSON.parse(text)).toMatchObject({
    findings: [{ code: 'missing', params: null, record: { host: hostname, relative_host: '@' } }],
    records_to_add: [
      { type: 'TXT', status: 'unchecked' },
      { type: 'CNAME', status: 'missing', panel_host: '@' },
    ],
    plan: null,
    provider_panel: null,
  });
});
