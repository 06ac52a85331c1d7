import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { prepareFile } from '../../src/sdk/files.ts';
import { keepSdkFile } from '../../src/db/sdk-files.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi({ sdk: [prepareFile({ name: 'widget.js', body: Buffer.from('/* now */') })] });
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const client = () => api.client(tenant.live.key);
const connect = async (external_id: string | null = null) =>
  expectData(
    await client().POST('/v1/connections', {
      body: { application_id: tenant.live.application_id, hostname: someName(), external_id },
    }),
  );
const share = async (id: string, body: { expires_in?: number } = {}) =>
  expectData(await client().POST('/v1/connections/{id}/share', { params: { path: { id } }, body }));
const timeline = async (id: string) =>
  expectData(await client().GET('/v1/connections/{id}', { params: { path: { id } } })).timeline;

describe('a shared link', () => {
  test('works for seven days by default, and for one hour to thirty days on request', async () => {
    const { id } = await connect();
    const days = async (expires_in?: number) => {
      const { expires_at } = await share(id, expires_in === undefined ? {} : { expires_in });
      return Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000);
    };
    expect([await days(), await days(30 * 86_400)]).toEqual([7, 30]);
    for (const expires_in of [3_599, 30 * 86_400 + 1, 1.5]) {
      const refused = await client().POST('/v1/connections/{id}/share', {
        params: { path: { id } },
        body: { expires_in },
      });
      expect(refused.response.status).toBe(400);
    }
    const bare = await send('POST', `${api.baseUrl}/v1/connections/${id}/share`, { credential: tenant.live.key });
    expect(bare.status).toBe(201);
  });

  test('shows the records and nothing of the tenant, is not indexed, and sends no referrer', async () => {
    const { id, hostname, ownership_challenge } = await connect('customer-4711');
    const { url } = await share(id);
    const page = await send('GET', url);
    expect(page.status).toBe(200);
    expect(page.text).toContain(ownership_challenge.value);
    expect(page.text).toContain(hostname);
    for (const secret of [id, tenant.tenant_id, tenant.live.application_id, 'customer-4711'])
      expect(page.text).not.toContain(secret);
    expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test("carries the tenant's display name if there is one, and hostnames as people write them", async () => {
    const path = { id: tenant.live.application_id };
    const name = (display_name: string | null) =>
      client().PATCH('/v1/applications/{id}', { params: { path }, body: { display_name } });
    const made = await client().POST('/v1/connections', {
      body: { application_id: tenant.live.application_id, hostname: `bücher.${someName()}` },
    });
    const { id, hostname } = expectData(made);
    const { url } = await share(id);
    await name('Acme <Shops>');
    const named = await send('GET', url);
    await name(null);
    const unnamed = await send('GET', url);
    expect(named.text).toContain('<p class="by"><bdi>Acme &lt;Shops&gt;</bdi></p>');
    expect(unnamed.text).not.toContain('class="by"');
    expect(named.text).toContain(`<h1>DNS records for ${hostname.replace('xn--bcher-kva', 'bücher')}</h1>`);
    expect(named.text).toContain('<bdi dir="ltr">bücher');
    expect(named.text).toContain('<code dir="ltr">xn--bcher-kva');
  });

  test('records for the tenant that it was opened, at most once an hour', async () => {
    const { id } = await connect();
    const { url } = await share(id);
    await send('GET', url);
    await send('GET', `${url}/content`);
    await send('GET', url);
    expect((await timeline(id)).map(({ kind }) => kind)).toEqual(['share_opened', 'move']);
    await api.deps.pool.query(sql.type(none)`
      UPDATE share_links SET opened_at = opened_at - interval '61 minutes' WHERE connection_id = ${id}
    `);
    await send('GET', url);
    expect((await timeline(id)).filter(({ kind }) => kind === 'share_opened')).toHaveLength(2);
  });

  test('a revoked, expired, archived and unknown link show the same page', async () => {
    const [withdrawn, expired, archived] = [await connect(), await connect(), await connect()];
    const urls = await Promise.all([withdrawn, expired, archived].map(async ({ id }) => (await share(id)).url));
    const revoke = () => client().DELETE('/v1/connections/{id}/share', { params: { path: { id: withdrawn.id } } });
    expect([(await revoke()).response.status, (await revoke()).response.status]).toEqual([204, 204]);
    await api.deps.pool.query(sql.type(none)`
      UPDATE share_links SET expires_at = now() WHERE connection_id = ${expired.id}
    `);
    await client().DELETE('/v1/connections/{id}', { params: { path: { id: archived.id } } });
    const never = `${api.baseUrl}/share/${'x'.repeat(43)}`;
    const pages = await Promise.all([...urls, never, `${api.baseUrl}/share/%00`].map((url) => send('GET', url)));
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    const again = await client().POST('/v1/connections/{id}/share', {
      params: { path: { id: archived.id } },
      body: {},
    });
    expect(again.response.status).toBe(409);
  });

  test('uses the language of the browser, and escapes all data', async () => {
    const { id } = await connect();
    const finding = {
      code: 'wrong_value',
      severity: 'error',
      message: '',
      fix: null,
      params: { found: '<script>alert(1)</script>' },
    };
    await api.deps.pool.query(sql.type(none)`
      UPDATE connections SET findings = jsonb_build_array(${sql.jsonb(finding)} || jsonb_build_object('record', desired_records -> 0))
      WHERE id = ${id}
    `);
    const { url } = await share(id);
    const page = await send('GET', url, { headers: { 'accept-language': 'ar, en;q=0.5' } });
    expect(page.text).toContain('<html lang="ar" dir="rtl">');
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text).not.toContain('<script>alert');
  });
});

describe('files of the browser SDK', () => {
  test('are for pages of any origin: the unversioned file is cached for five minutes, one with a hash forever', async () => {
    const evergreen = await send('GET', `${api.baseUrl}/sdk/v1/widget.js`);
    expect([evergreen.status, evergreen.text]).toEqual([200, '/* now */']);
    expect(evergreen.headers.get('cache-control')).toContain('max-age=300');
    expect(evergreen.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const known = { 'if-none-match': evergreen.headers.get('etag')! };
    expect((await send('GET', `${api.baseUrl}/sdk/v1/widget.js`, { headers: known })).status).toBe(304);
  });

  test('of an earlier release stay available for pages that pin them', async () => {
    const name = 'widget-0123456789abcdef.js';
    await keepSdkFile(api.deps.pool, name, Buffer.from('/* then */'));
    const earlier = await send('GET', `${api.baseUrl}/sdk/v1/${name}`);
    expect([earlier.status, earlier.text]).toEqual([200, '/* then */']);
    expect(earlier.headers.get('cache-control')).toContain('immutable');
    for (const other of ['widget-fedcba9876543210.js', 'no.js', '..%2f..%2fpackage.json', '%00'])
      expect((await send('GET', `${api.baseUrl}/sdk/v1/${other}`)).status).toBe(404);
  });
});
