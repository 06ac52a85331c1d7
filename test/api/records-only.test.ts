import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { connectionCalls } from '../support/fixtures/connection-calls.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TEMPLATE = [
  { host: '{var.selector}._domainkey', type: 'CNAME', value: '{var.selector}.dkim.example.net' },
  { host: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none', required: false },
];

let api: TestApi;
let tenant: NewTenant;
let database: pg.Client;
let { call, create, created, detail } = {} as ReturnType<typeof connectionCalls>;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  ({ call, create, created, detail } = connectionCalls(api, tenant));
  database = new pg.Client(api.databaseUrl);
  await database.connect();
  await setTemplate(TEMPLATE);
});
afterAll(async () => {
  await database.end();
  await api.stop();
});

const goLive = (id: string) => database.query("UPDATE connections SET state = 'live' WHERE id = $1", [id]);

const setTemplate = async (record_template: object[]) =>
  expect(await call('PATCH', `/applications/${tenant.live.application_id}`, { record_template })).toMatchObject({
    status: 200,
  });
const problems = (...found: [path: string, code: string][]) => ({
  status: 400,
  body: { error: { details: found.map(([path, code]) => ({ path, code })) } },
});
const RECORDS = { serve: false, variables: { selector: 's1' } };

describe('variables', () => {
  test('fill the template, and are shown with the records', async () => {
    const hostname = someName();
    const shown = await detail(await created({ hostname, ...RECORDS }));
    expect(shown).toMatchObject({
      serve: false,
      variables: { selector: 's1' },
      desired_records: [
        { host: `s1._domainkey.${hostname}`, value: 's1.dkim.example.net', required: true },
        { host: `_dmarc.${hostname}`, required: false },
      ],
    });
  });

  test.each([
    ['a missing one', {}, ['body.variables.selector', 'missing_variable']],
    ['one that the template does not use', { selector: 's', more: 'x' }, ['body.variables.more', 'unknown_variable']],
    ['a value that makes no name', { selector: 'a b' }, ['body.hostname', 'host']],
    ['a reserved label', { selector: '_acme-challenge.x' }, ['body.hostname', 'reserved_record']],
  ] as const)('are refused with their name: %s', async (_what, variables, [path, code]) => {
    expect(await create({ serve: false, variables })).toMatchObject(problems([path, code]));
  });

  test.each([
    ['a name in upper case', { Selector: 's' }],
    ['a name that is too long', { [`a${'b'.repeat(32)}`]: 's' }],
    ['a value that is too long', { selector: 'x'.repeat(1_025) }],
    ['an empty value', { selector: '' }],
    ['a control character', { selector: 'a\nb' }],
    ['too many', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`v${i}`, 'x']))],
  ])('have limits: %s', async (_what, variables) => {
    expect(await create({ serve: false, variables })).toMatchObject({ status: 400 });
  });

  test('a repeated create continues the connection, and one with other variables is a 409 that names PATCH', async () => {
    const body = { hostname: someName(), ...RECORDS };
    const id = await created(body);
    expect(await create(body)).toMatchObject({ status: 200, body: { id } });
    expect(await create({ ...body, variables: { selector: 's2' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state', details: { connection_id: id } } },
    });
  });

  test('PATCH replaces them all, with the template of today; a changed template alone changes nothing', async () => {
    const hostname = someName();
    const id = await created({ hostname, ...RECORDS });
    await setTemplate([{ host: '{var.selector}.{var.zone}', type: 'TXT', value: 'x' }]);
    expect((await detail(id)).desired_records).toMatchObject([{ host: `s1._domainkey.${hostname}` }, {}]);
    const patch = (variables: object) => call('PATCH', `/connections/${id}`, { variables });
    expect(await patch({ selector: 's2' })).toMatchObject(problems(['body.variables.zone', 'missing_variable']));
    expect(await patch({ selector: 's2', zone: 'z' })).toMatchObject({
      status: 200,
      body: { desired_records: [{ host: `s2.z.${hostname}` }], state: 'pending_ownership' },
    });
    await setTemplate(TEMPLATE);
  });
});

describe('a records-only connection', () => {
  test('neither holds nor meets a claim, in any tenant', async () => {
    const hostname = someName();
    const served = await created({ hostname, variables: { selector: 's1' } });
    await goLive(served);
    const only = await created({ hostname, ...RECORDS });
    await goLive(only);
    const other = await api.tenant();
    const theirs = connectionCalls(api, other);
    const application = `/applications/${other.live.application_id}`;
    await theirs.call('PATCH', application, { record_template: TEMPLATE });
    const second = await theirs.created({ hostname, ...RECORDS });
    await goLive(second);
    expect(await theirs.create({ hostname, variables: { selector: 's1' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'HostnameConflict' } },
    });
    expect(await create({ hostname, ...RECORDS })).toMatchObject({ status: 200, body: { id: only } });
    const { rows } = await database.query('SELECT connection_id FROM admissions WHERE hostname = $1', [hostname]);
    expect(rows).toEqual([{ connection_id: served }]);
  });

  test.each([
    ['origin_url', 'https://shop.example.com'],
    ['redirect', { to: 'https://example.com' }],
    ['metadata', { a: 'b' }],
    ['before_dns', true],
    ['companion', true],
  ])('has no %s', async (field, value) => {
    expect(await create({ ...RECORDS, [field]: value })).toMatchObject({ status: 400 });
  });

  test('needs a template, without addresses or aliases at the hostname itself', async () => {
    await setTemplate([]);
    expect(await create({ serve: false })).toMatchObject(problems(['body.serve', 'template_needed']));
    for (const [type, value] of [
      ['A', '192.0.2.1'],
      ['AAAA', '2001:db8::1'],
      ['CNAME', 'x.example.net'],
    ]) {
      await setTemplate([{ host: '@', type, value }]);
      expect(await create({ serve: false })).toMatchObject(problems(['body.hostname', 'reserved_record']));
    }
    await setTemplate(TEMPLATE);
  });

  test('has neither a certificate nor a cutover', async () => {
    const id = await created(RECORDS);
    for (const [method, path] of [
      ['POST', 'certificate:csr'],
      ['POST', 'cutover'],
    ] as const)
      expect(await call(method, `/connections/${id}/${path}`, {})).toMatchObject({
        status: 409,
        body: { error: { code: 'invalid_state', message: expect.stringContaining('records only') as string } },
      });
  });

  test('stays what it is: serve cannot be patched', async () => {
    const id = await created(RECORDS);
    expect(await call('PATCH', `/connections/${id}`, { serve: true })).toMatchObject({ status: 400 });
    expect(await call('PATCH', `/connections/${id}`, { maintenance: { message: 'x' } })).toMatchObject(
      problems(['body.maintenance', 'not_served']),
    );
  });
});

test.each([
  [{ host: '@', type: 'NS', value: 'ns.example.net' }, 'body.record_template.0.type'],
  [{ host: '_acme-challenge', type: 'TXT', value: 'x' }, 'body.record_template.0.host'],
  [{ host: 'a._service-challenge', type: 'TXT', value: 'x' }, 'body.record_template.0.host'],
])('no template has the record %j', async (line, path) => {
  const application = `/applications/${tenant.live.application_id}`;
  expect(await call('PATCH', application, { record_template: [line] })).toMatchObject(
    problems([path, 'reserved_record']),
  );
});

test('batches take variables and serve for each row', async () => {
  const [plain, other] = [someName(), someName()];
  const hostnames = [
    { hostname: plain, ...RECORDS },
    { hostname: other, serve: false, variables: {} },
  ];
  const made = await call('POST', '/batches', { application_id: tenant.live.application_id, hostnames });
  expect(made).toMatchObject({
    status: 201,
    body: { rows: [{ result: 'created' }, { result: 'invalid', problem: { code: 'missing_variable' } }] },
  });
});

test('CSV files have columns var.<name> and serve', async () => {
  const file = join(await tempFolder(), 'names.csv');
  const [first, second] = [someName(), someName()];
  await writeFile(file, `hostname,serve,var.selector\n${first},false,s7\n${second},,s8\n`);
  const args = ['batch', 'create', '--application', tenant.live.application_id, '--file', file];
  expect(await runCli(args, { DATABASE_URL: api.databaseUrl })).toMatchObject({ code: 0 });
  const found = async (hostname: string) => {
    const list = expectData(
      await api.client(tenant.live.key).GET('/v1/connections', { params: { query: { hostname } } }),
    );
    return detail(list.data[0]?.id ?? '');
  };
  expect(await found(first)).toMatchObject({ serve: false, variables: { selector: 's7' } });
  expect(await found(second)).toMatchObject({ serve: true, variables: { selector: 's8' } });
});

test('a widget token binds serve and variables, and the browser chooses neither', async () => {
  const body = { application_id: tenant.live.application_id, ...RECORDS };
  const minted = await call('POST', '/tokens', body);
  expect(minted).toMatchObject({ status: 201 });
  const { auth_token } = minted.body as { auth_token: string };
  expect(await create({}, auth_token)).toMatchObject({ status: 201, body: { serve: false } });
  expect(await create({ serve: false }, auth_token)).toMatchObject(problems(['body.serve', 'widget_token']));
  expect(await create({ variables: { selector: 'x' } }, auth_token)).toMatchObject(
    problems(['body.variables', 'widget_token']),
  );
});
