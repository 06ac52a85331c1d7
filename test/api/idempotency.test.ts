import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { someName, startTestApi, testKey, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
let database: pg.Client;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  database = new pg.Client({ connectionString: api.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await api.stop();
});

const create = (
  key: string,
  hostname: string,
  credential = tenant.live.key,
  applicationId = tenant.live.application_id,
) =>
  send('POST', `${api.baseUrl}/v1/connections`, {
    credential,
    headers: { 'idempotency-key': key },
    body: { application_id: applicationId, hostname },
  });

async function count(table: 'connections' | 'events' | 'outbox', hostname: string): Promise<number> {
  const by = { connections: 'id', events: 'connection_id', outbox: 'aggregate_id' }[table];
  const { rows } = await database.query<{ n: string }>(
    `SELECT count(*) AS n FROM ${table} WHERE ${by} IN (SELECT id FROM connections WHERE hostname = $1)`,
    [hostname],
  );
  return Number(rows[0]!.n);
}

test('fifty concurrent creates with one Idempotency-Key make one connection, one event and one message', async () => {
  const hostname = someName();

  const answers = await Promise.all(Array.from({ length: 50 }, () => create('fifty', hostname)));

  const made = answers.filter(({ status }) => status === 201);
  const early = answers.filter(({ status }) => status === 409);
  expect(made.length + early.length).toBe(50);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  for (const { body, headers } of early) {
    expect(body).toMatchObject({ error: { code: 'idempotency_in_progress' } });
    expect(headers.get('retry-after')).toBe('1');
  }
  expect([
    await count('connections', hostname),
    await count('events', hostname),
    await count('outbox', hostname),
  ]).toEqual([1, 1, 1]);
});

test('a repeated request gets the identical first answer and the header Idempotent-Replayed', async () => {
  const hostname = someName();
  const first = await create('again', hostname);

  const second = await create('again', hostname);

  expect([second.status, second.text]).toEqual([first.status, first.text]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test('the same body with another key order is the same request, and another body is refused', async () => {
  const hostname = someName();
  await create('spelling', hostname);
  const url = `${api.baseUrl}/v1/connections`;
  const headers = { 'idempotency-key': 'spelling' };
  const credential = tenant.live.key;

  const reordered = await send('POST', url, {
    credential,
    headers,
    body: `{ "hostname": "${hostname}",\n "application_id": "${tenant.live.application_id}" }`,
  });
  const changed = await create('spelling', someName());

  expect(reordered.status).toBe(201);
  expect([changed.status, changed.body]).toMatchObject([422, { error: { code: 'idempotency_key_reused' } }]);
});

test('all spellings of a path share one key', async () => {
  const repeat = (path: string) =>
    send('POST', api.baseUrl + path, {
      credential: tenant.live.key,
      headers: { 'idempotency-key': 'path' },
      body: { name: 'path' },
    });
  const first = await repeat('/v1/applications');

  const others = [await repeat('/v1/applications/'), await repeat('/V1/Applications')];

  expect(others.map(({ text }) => text)).toEqual([first.text, first.text]);
});

test('an error is not stored: the same key succeeds once the cause is fixed', async () => {
  const refused = await create('mended', 'not a hostname');
  const accepted = await create('mended', someName());

  expect([refused.status, accepted.status]).toEqual([400, 201]);
});

test('keys of different tenants, environments and paths are independent', async () => {
  const [hostname, other] = [someName(), await api.tenant()];
  const first = await create('shared', hostname);

  const theirs = await create('shared', hostname, other.live.key, other.live.application_id);
  const test = await create('shared', hostname, tenant.test.key);
  const elsewhere = await send('POST', `${api.baseUrl}/v1/tokens`, {
    credential: tenant.live.key,
    headers: { 'idempotency-key': 'shared' },
    body: { application_id: tenant.live.application_id },
  });

  expect([first.status, theirs.status, test.status, elsewhere.status]).toEqual([201, 201, 404, 201]);
  expect(theirs.body).not.toMatchObject({ id: (first.body as { id: string }).id });
});

test('a secret is returned once: neither the replay nor the database contains it', async () => {
  const url = `${api.baseUrl}/v1/applications/${tenant.live.application_id}/keys`;
  const request = { credential: tenant.live.key, headers: { 'idempotency-key': 'key' }, body: { name: 'once' } };

  const first = await send('POST', url, request);
  const second = await send('POST', url, request);

  const { secret, ...rest } = first.body as { secret: string };
  expect(secret).toMatch(/^sk_live_/);
  expect([second.status, second.body]).toEqual([201, rest]);
  const { rows } = await database.query('SELECT body::text FROM idempotent_answers');
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('a repeated Idempotency-Key mints a new widget token, so that no answer lacks one', async () => {
  const body = { application_id: tenant.live.application_id };
  const request = { credential: tenant.live.key, headers: { 'idempotency-key': 'token' }, body };
  const tokens = [];
  for (let n = 0; n < 2; n++) {
    const { status, body: made } = await send('POST', `${api.baseUrl}/v1/tokens`, request);
    expect(status).toBe(201);
    tokens.push((made as { auth_token: string }).auth_token);
  }
  expect(tokens[0]).toMatch(/^ey/);
  expect(tokens[1]).toMatch(/^ey/);
  expect(tokens[1]).not.toBe(tokens[0]);
});

test('a repeated credential request returns the stored answer without asking the provider', async () => {
  let refuses = false;
  const provider = createServer((_request, response) => {
    response.writeHead(refuses ? 401 : 200, { 'content-type': 'application/json' }).end('[]');
  });
  await once(provider.listen(await freePort(), '127.0.0.1'), 'listening');
  const { port } = provider.address() as AddressInfo;
  const give = (api_key: string) =>
    send('POST', `${api.baseUrl}/v1/applications/${tenant.live.application_id}/credentials`, {
      credential: tenant.live.key,
      headers: { 'idempotency-key': 'credential' },
      body: { provider: 'powerdns', credentials: { api_url: `http://127.0.0.1:${port}`, api_key } },
    });
  const first = await give('one');

  refuses = true;
  const again = await give('one');
  const other = await give('another');
  provider.close();

  expect(first.status).toBe(201);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect([other.status, other.body]).toMatchObject([422, { error: { code: 'idempotency_key_reused' } }]);
});

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(256)],
  ['not ASCII', 'kÿ'],
])('a key that is %s is refused', async (_, key) => {
  const answer = await create(key, someName());

  expect(answer.status).toBe(400);
});

test('the key can be used again after a day', async () => {
  await create('old', someName());
  await database.query(`UPDATE idempotent_answers SET created_at = created_at - interval '25 hours' WHERE key = 'old'`);

  const another = await create('old', someName());

  expect([another.status, another.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('rotating the signing key loses no stored answer', async () => {
  const hostname = someName();
  const first = await create('rotated', hostname);
  const rotated = await startTestApi({
    databaseUrl: api.databaseUrl,
    keys: { ...api.deps.keys, signedState: [testKey('new'), ...api.deps.keys.signedState] },
  });

  const second = await send('POST', `${rotated.baseUrl}/v1/connections`, {
    credential: tenant.live.key,
    headers: { 'idempotency-key': 'rotated' },
    body: { application_id: tenant.live.application_id, hostname },
  });
  await rotated.stop();

  expect(second.text).toBe(first.text);
});
