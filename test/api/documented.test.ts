import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { ShareConnection } from '../../src/api/schemas/share.ts';
import { parseConfig } from '../../src/config.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { BATCH_LIMIT } from '../../src/domain/connection/batch.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { desiredRecords, TEMPLATE_VARIABLES } from '../../src/domain/connection/template.ts';
import { normalizeHostname } from '../../src/domain/hostname.ts';
import { TTL_DEFAULT, TTL_MAX, TTL_MIN } from '../../src/domain/record.ts';
import { hostnameParts } from '../../src/dns/suffix.ts';
import { verifyWebhook } from '../../client/webhooks.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { send } from '../support/http.ts';

/** Checks the rules of docs/api.md against the service. `npm run openapi -- --check` checks its table of scopes. */
const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');

/** Returns the rows of the first table below a heading, without its header. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const [, , ...rows] = /(?:^\|.*\n)+/m.exec(section)?.[0].trim().split('\n') ?? []; // prettier-ignore
  return rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| *| *\|$/g, '').trim()));
}

let api: TestApi;
let tenant: NewTenant;
let now = new Date();
beforeAll(async () => {
  api = await startTestApi({ now: () => now });
  tenant = await api.tenant();
});
afterAll(() => api.stop());
const live = () => new ApiUser(api.baseUrl, tenant.live);
const create = (user: ApiUser, application_id: string) =>
  user.call('POST', '/connections', { application_id, hostname: someName() });

test('the challenge is at the documented name, and not at the hostname', async () => {
  const { body } = await create(live(), tenant.live.application_id);
  const { hostname, ownership_challenge } = body as { hostname: string; ownership_challenge: { name: string } };

  expect(PAGE).toContain('`_service-challenge.` and the hostname');
  expect(ownership_challenge.name).toBe(`_service-challenge.${hostname}`);
  expect(ownership_challenge.name).toBe(challengeName(hostname));
});

test('a test key reaches the test environment, and a live key both', async () => {
  const test = new ApiUser(api.baseUrl, tenant.test);
  const id = async (user: ApiUser, application: string) => String((await create(user, application)).body['id']);
  const [inTest, inLive] = [await id(test, tenant.test.application_id), await id(live(), tenant.live.application_id)];
  const status = async (user: ApiUser, of: string) => (await user.call('GET', `/connections/${of}`)).status;

  expect([await status(test, inTest), await status(test, inLive)]).toEqual([200, 404]);
  expect([await status(live(), inTest), await status(live(), inLive)]).toEqual([200, 200]);
  expect((await test.call('POST', '/applications', { name: 'Shop', environment: 'live' })).status).toBe(403);
  expect((await live().call('PUT', '/sandbox/records', { records: [] })).status).toBe(403);
});

/** A check of each row of the table, which gets the documented value. */
const LIMITS: Readonly<Record<string, (value: string) => unknown>> = {
  'page of a list': async (value) => {
    const [usual = 0, most = 0] = [...value.matchAll(/\d+/g)].map(Number);
    const hostnames = Array.from({ length: most + 1 }, () => someName());
    await live().call('POST', '/batches', { application_id: tenant.live.application_id, hostnames });
    const list = (query: string) => live().call('GET', `/connections${query}`);
    expect((await list('')).body['data']).toHaveLength(usual);
    expect((await list(`?limit=${most}`)).body['data']).toHaveLength(most);
    expect((await list(`?limit=${most + 1}`)).status).toBe(400);
  },
  'widget token': async (value) => {
    const { body } = await live().call('POST', '/tokens', { application_id: tenant.live.application_id });
    const { exp = 0, iat = 0 } = decodeJwt(String(body['auth_token']));
    expect(value).toBe(`${(exp - iat) / 60} minutes`);
  },
  'repeated `Idempotency-Key`': async (value) => {
    const hours = Number.parseInt(value, 10);
    const body = JSON.stringify({ application_id: tenant.live.application_id, hostname: someName() });
    const key = crypto.randomUUID();
    const wasReplayed = async () => {
      const request = { credential: tenant.live.key, headers: { 'idempotency-key': key }, body };
      return (await send('POST', `${api.baseUrl}/v1/connections`, request)).headers.get('idempotent-replayed');
    };
    const began = now;
    await wasReplayed();
    now = new Date(began.getTime() + hours * 3_600_000 - 1_000);
    expect(await wasReplayed()).toBe('true');
    now = new Date(began.getTime() + hours * 3_600_000 + 1_000);
    expect(await wasReplayed()).toBeNull();
    now = began;
  },
  'age of a webhook that a receiver accepts': async (value) => {
    const seconds = Number.parseInt(value, 10);
    const headers = { 'x-svc-timestamp': '1000', 'x-svc-signature': `sha256=${'0'.repeat(64)}` };
    const codeAt = (age: number) =>
      verifyWebhook('{}', headers, 's', { now: (1_000 + age) * 1_000 }).catch(
        (error: unknown) => (error as { code: string }).code,
      );
    expect([await codeAt(seconds), await codeAt(seconds + 1)]).toEqual(['bad_signature', 'too_old']);
  },
  'request body': (value) => bodyLimit('/connections', value),
  'request body of a batch': (value) => bodyLimit('/batches', value),
  'hostnames in a batch': (value) => expect(value).toBe(String(BATCH_LIMIT)),
  'length of a hostname': (value) => {
    const most = Number.parseInt(value, 10);
    const long = (length: number) => `${'a.'.repeat(4)}${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.`.padEnd(length - 4, 'e') + '.com'; // prettier-ignore
    expect(normalizeHostname(long(most))).toMatchObject({ ok: true });
    expect(normalizeHostname(long(most + 1))).toMatchObject({ ok: false });
  },
  'labels of a hostname': (value) => {
    const named = (labels: number) => `${'a.'.repeat(labels - 2)}brand.com`;
    expect(normalizeHostname(named(Number(value)))).toMatchObject({ ok: true });
    expect(normalizeHostname(named(Number(value) + 1))).toMatchObject({ ok: false, code: 'too_many_labels' });
  },
  'TTL of a record': (value) => expect(value).toBe(`${TTL_MIN} to ${TTL_MAX}`),
  'TTL of a record without one': (value) => expect(value).toBe(String(TTL_DEFAULT)),
  'lifetime of a shared link': (value) => {
    const [least = 0, most = 0] = value.split(' to ').map(Number);
    const isAllowed = (expires_in: number) => ShareConnection.safeParse({ expires_in }).success;
    expect([least - 1, least, most, most + 1].map(isAllowed)).toEqual([false, true, true, false]);
  },
  'lifetime of a shared link without `expires_in`': (value) =>
    expect(ShareConnection.parse(undefined)).toEqual({ expires_in: Number(value) }),
  'connections that hold one hostname': (value) => expect(value).toBe('1'), // tenancy.test.ts
  'requests of a key, per second and burst': (value) => rate('RATE_LIMIT_KEY', value),
  'requests of a tenant, per second and burst': (value) => rate('RATE_LIMIT_TENANT', value),
  'requests of a widget token, per second and burst': (value) => rate('RATE_LIMIT_WIDGET', value),
  '`verify` of one connection, per second and burst': (value) => rate('RATE_LIMIT_VERIFY', value),
  'refused credentials of one address, per second and burst': (value) => rate('RATE_LIMIT_ANONYMOUS', value),
};

async function bodyLimit(path: string, value: string): Promise<void> {
  const most = Number.parseInt(value, 10) * 1_024;
  const status = async (length: number) => {
    const body = `{"x":"${'y'.repeat(length - 8)}"}`;
    return (await send('POST', `${api.baseUrl}/v1${path}`, { credential: tenant.live.key, body })).status;
  };
  expect([await status(most), await status(most + 1)]).toEqual([400, 413]);
}

function rate(
  setting: 'RATE_LIMIT_KEY' | 'RATE_LIMIT_TENANT' | 'RATE_LIMIT_WIDGET' | 'RATE_LIMIT_VERIFY' | 'RATE_LIMIT_ANONYMOUS',
  value: string,
): void {
  // prettier-ignore
  expect(parseConfig({})[setting]).toEqual(parseConfig({ [setting]: value })[setting]);
}

test.each(tableBelow('Limits'))('the documented limit is the real one: %s', async (what, value) => {
  expect(Object.keys(LIMITS)).toContain(what);
  await LIMITS[what]!(value);
});

test('the list of limits is complete', () => {
  expect(tableBelow('Limits').map(([what]) => what)).toEqual(Object.keys(LIMITS));
});

test('every variable of a record template is documented, with the value that it has', () => {
  const [, hostname = ''] = /For the hostname `([^`]+)`:/.exec(PAGE) ?? [];
  const edge = {
    cnameTarget: 'EDGE_CNAME_TARGET',
    ipv4: ['EDGE_IPV4'],
    ipv6: ['EDGE_IPV6'],
    policy: 'any',
  } as const;
  const subject = { ...hostnameParts(hostname), connectionId: "the connection's id" };
  const rows = tableBelow('Record templates').map(([name = '', value = '']) => [name, value.replace(/;.*/, '')]);

  expect(rows).toEqual(
    TEMPLATE_VARIABLES.map((name) => {
      const [record] = desiredRecords([{ host: '@', type: 'TXT', value: `{${name}}` }], subject, edge);
      return [`\`{${name}}\``, name === 'connection_id' ? record!.value : `\`${record!.value}\``];
    }),
  );
});

test("the documented delay of the widget's hint is the real one", () => {
  const [, seconds] = /After (\d+) seconds on a step/.exec(PAGE) ?? [];
  expect(readFileSync(join(ROOT, 'src/widget/flow.ts'), 'utf8')).toContain(`STALL_MS = ${seconds}_000;`);
});
