import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const cli = (args: string[], env: Record<string, string> = { DATABASE_URL: api.databaseUrl }) => runCli(args, env);

const json = (out: string) => JSON.parse(out) as Record<string, unknown>;
const status = async (key: string) => (await api.client(key).GET('/v1/providers')).response.status;

test('a new tenant can use the service immediately, with the same data as in demo.json', async () => {
  const { out, err, code } = await cli(['tenant', 'create', '--name', 'Acme', '--json']);

  const made = json(out) as { test: { key: string }; live: { key: string } };
  expect([code, err]).toEqual([0, '']);
  expect(Object.keys(made)).toEqual([
    'base_url',
    'internal_url',
    'temporal_address',
    'temporal_ui_url',
    'edge_https_url',
    'edge_ca_file',
    'tenant_id',
    'test',
    'live',
  ]);
  expect([await status(made.test.key), await status(made.live.key)]).toEqual([200, 200]);
});

test('creating and revoking keys is written to the audit log', async () => {
  const tenant = await api.tenant();
  const made = json(
    (
      await cli([
        'key',
        'create',
        '--application',
        tenant.live.application_id,
        '--name',
        'ops',
        '--scopes',
        'usage:read',
        '--json',
      ])
    ).out,
  );
  const before = await status(String(made['secret']));

  const revoked = await cli(['key', 'revoke', '--key', String(made['id'])]);

  const { data } = await api.client(tenant.live.key).GET('/v1/audit');
  expect(made['scopes']).toEqual(['usage:read']);
  expect([before, revoked.code, await status(String(made['secret']))]).toEqual([200, 0, 401]);
  expect(data?.data.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['key.revoked', 'operator'],
    ['key.created', 'operator'],
    ['tenant.created', 'operator'],
  ]);
});

test('a list has one line for each tenant, or one object with --json', async () => {
  const { tenant_id } = await api.tenant();

  const lines = await cli(['tenant', 'list']);
  const data = json((await cli(['tenant', 'list', '--json'])).out)['data'] as { id: string }[];

  expect(lines.out).toContain(`${tenant_id}  `);
  expect(data.map(({ id }) => id)).toContain(tenant_id);
});

test.each([
  ['an unknown command', ['tenant', 'destroy'], 2, /no command "tenant destroy"/],
  ['an unknown option', ['tenant', 'list', '--all'], 2, /--all/],
  ['a missing option', ['tenant', 'create', '--json'], 2, /--name is missing/],
  ['an invalid id', ['key', 'revoke', '--key', '7'], 2, /--key must be an id/],
  ['an unknown state', ['connection', 'list', '--state', 'dead'], 2, /--state must be one of created, /],
  [
    'an unprintable name',
    ['key', 'create', '--application', '019a0000-0000-7000-8000-000000000001', '--name', 'a\u0001b'],
    2,
    /--name must be 1 to 100 printable characters/,
  ],
  ['an unknown key', ['key', 'revoke', '--key', '019a0000-0000-7000-8000-000000000001'], 1, /There is no key/],
])('%s is reported in one sentence on stderr', async (_, args, code, sentence) => {
  const result = await cli(args);

  expect([result.code, result.out]).toEqual([code, '']);
  expect(result.err).toMatch(sentence);
  expect(result.err).not.toMatch(/\n\s+at /);
});

test('without a database or a running service, it prints what to do and starts nothing', async () => {
  const none = await cli(['tenant', 'list', '--json'], {});
  const refused = await cli(['tenant', 'list'], { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:9/x' });

  expect([none.code, none.out, none.err]).toEqual([
    1,
    '',
    expect.stringMatching(/^No service runs in .*npm start.*\n$/) as string,
  ]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^Nothing listens.*\n$/) as string]);
});
