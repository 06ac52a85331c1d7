import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { connectionCalls } from '../support/fixtures/connection-calls.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

let api: TestApi;
let tenant: NewTenant;
let { call, create, created, detail } = {} as ReturnType<typeof connectionCalls>;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  ({ call, create, created, detail } = connectionCalls(api, tenant));
});
afterAll(() => api.stop());

const patch = (id: string, body: object) => call('PATCH', `/connections/${id}`, body);
const problems = (...found: [path: string, code: string][]) => ({
  status: 400,
  body: { error: { details: found.map(([path, code]) => ({ path, code })) } },
});

const NOTHING = {
  origin_url: null,
  host_header: 'origin',
  metadata: null,
  redirect: null,
  security_headers: null,
  maintenance: null,
};

test('a connection has nothing of its own unless it is given, and null returns each field to the application’s', async () => {
  const id = await created({});
  expect(await detail(id)).toMatchObject(NOTHING);
  const own = {
    origin_url: 'https://shop-7.example.com',
    host_header: 'visitor',
    metadata: { plan: 'gold' },
    security_headers: { hsts_max_age: 31_536_000 },
    maintenance: { message: 'Back at 14:00 UTC.' },
  };
  expect(await patch(id, own)).toMatchObject({ status: 200, body: own });
  expect(await patch(id, { metadata: { plan: 'silver' } })).toMatchObject({
    status: 200,
    body: { ...own, metadata: { plan: 'silver' } },
  });
  expect(await patch(id, NOTHING)).toMatchObject({ status: 200, body: NOTHING });
});

test('a redirect has defaults, excludes an origin, and must be an https URL without query', async () => {
  const id = await created({ redirect: { to: 'https://www.example.com' } });
  expect(await detail(id)).toMatchObject({
    redirect: { to: 'https://www.example.com/', status: 308, keep_path: true },
  });
  const origin_url = 'https://shop-7.example.com';
  expect(await patch(id, { origin_url })).toMatchObject(problems(['body.redirect', 'redirect_and_origin']));
  expect(await patch(id, { origin_url, redirect: null })).toMatchObject({ status: 200, body: { redirect: null } });
  for (const [to, code] of [
    ['http://www.example.com', 'url'],
    ['www.example.com', 'url'],
    ['https://u:p@www.example.com', 'userinfo'],
    ['https://www.example.com/?a=b', 'query'],
    ['https://www.example.com/#a', 'query'],
  ])
    expect(await create({ redirect: { to } })).toMatchObject(problems(['body.redirect.to', code!]));
});

test('an origin is checked as that of an application, and every problem is listed', async () => {
  expect(
    await create({ origin_url: 'https://127.0.0.1', redirect: { to: 'ftp://x' }, metadata: { a: 'x'.repeat(4_096) } }),
  ).toMatchObject(
    problems(['body.origin_url', 'private_address'], ['body.metadata', 'too_large'], ['body.redirect.to', 'url']),
  );
  expect(await create({ origin_url: 'https://a.example.com/path' })).toMatchObject(
    problems(['body.origin_url', 'path']),
  );
});

test('a loop through the tenant’s own connections is refused', async () => {
  const [a, b, apex] = [someName(), someName(), `${someName().split('.')[0]!}.com`];
  const to = (hostname: string) => ({ redirect: { to: `https://${hostname}` } });
  expect(await create({ hostname: a, ...to(a) })).toMatchObject(problems(['body.redirect', 'loop']));
  expect(await create({ hostname: a, origin_url: `https://${a}` })).toMatchObject(
    problems(['body.origin_url', 'loop']),
  );
  await created({ hostname: a, ...to(b) });
  expect(await create({ hostname: b, ...to(a) })).toMatchObject(problems(['body.redirect', 'loop']));
  expect(await create({ hostname: apex, companion: true, ...to(`www.${apex}`) })).toMatchObject(
    problems(['body.redirect', 'loop']),
  );
  const main = await created({ hostname: apex, companion: true });
  expect(await patch(main, to(`www.${apex}`))).toMatchObject(problems(['body.redirect', 'loop']));
});

test('a widget token cannot choose where visitors go', async () => {
  const { body } = await call('POST', '/tokens', { application_id: tenant.live.application_id });
  const { auth_token: token } = body as { auth_token: string };
  const given = { origin_url: 'https://shop-7.example.com', metadata: { plan: 'gold' } };
  expect(await create(given, token)).toMatchObject(
    problems(['body.origin_url', 'widget_token'], ['body.metadata', 'widget_token']),
  );
});

test('batches and CSV files take the same fields, and a row with a mistake is reported alone', async () => {
  const [good, bad, plain] = [someName(), someName(), someName()];
  const hostnames = [
    { hostname: good, host_header: 'visitor', redirect: { to: 'https://www.example.com', status: 301 } },
    { hostname: bad, origin_url: 'https://127.0.0.1' },
    plain,
  ];
  const { body } = await call('POST', '/batches', { application_id: tenant.live.application_id, hostnames });
  const { rows } = body as { rows: { result: string; connection_id: string; problem: { code: string } | null }[] };
  expect(rows.map(({ result, problem }) => [result, problem?.code])).toEqual([
    ['created', undefined],
    ['invalid', 'private_address'],
    ['created', undefined],
  ]);
  expect(await detail(rows[0]!.connection_id)).toMatchObject({
    host_header: 'visitor',
    redirect: { to: 'https://www.example.com/', status: 301, keep_path: true },
  });
  expect(await detail(rows[2]!.connection_id)).toMatchObject(NOTHING);

  const file = join(await tempFolder(), 'names.csv');
  const [first, second] = [someName(), someName()];
  await writeFile(
    file,
    `hostname,redirect.to,redirect.keep_path,metadata.plan,maintenance.message\n${first},https://a.example.com,false,,\n${second},,,gold,Soon\n`,
  );
  const args = ['batch', 'create', '--application', tenant.live.application_id, '--file', file];
  expect(await runCli(args, { DATABASE_URL: api.databaseUrl })).toMatchObject({ code: 0 });
  const found = async (hostname: string) => {
    const query = { hostname };
    const page = expectData(await api.client(tenant.live.key).GET('/v1/connections', { params: { query } }));
    return detail(page.data[0]!.id);
  };
  expect(await found(first)).toMatchObject({ redirect: { to: 'https://a.example.com/', keep_path: false } });
  expect(await found(second)).toMatchObject({ metadata: { plan: 'gold' }, maintenance: { message: 'Soon' } });
});
