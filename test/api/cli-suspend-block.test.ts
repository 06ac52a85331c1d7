import { z } from 'zod';
import { ensureLogin } from '../../src/db/logins.ts';
import { sql } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { startAgentProcess, startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/**
 * Suspended tenants and blocked hostnames, as two API processes and an edge's agent see them. Each runs in its own process
 * with its production login.
 */
let plane: ControlPlane;
const logins = { api: '', worker: '' };
let apis: HalfProcess[];
let agent: HalfProcess;
let folder: string;

async function makeLogin(half: 'api' | 'worker'): Promise<void> {
  const url = new URL(plane.databaseUrl);
  url.username = `${half}_${crypto.randomUUID().slice(0, 8)}`;
  url.password = 'secret';
  await ensureLogin(plane.databaseUrl, half, url.href);
  logins[half] = url.href;
}
const startApi = () =>
  startApiProcess(logins.api, { RATE_LIMIT_KEY: '0', ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1', EDGE: 'off' });
const startAgent = async (databaseUrl = logins.api) => {
  agent = await startAgentProcess(databaseUrl, { folder });
};

beforeAll(async () => {
  plane = await startControlPlane();
  folder = await tempFolder();
  await makeLogin('api');
  await makeLogin('worker');
  [apis] = await Promise.all([Promise.all([startApi(), startApi()]), startAgent()]);
  await until(async () => {
    const health = (await (await fetch(`http://127.0.0.1:${agent.port}/healthz`)).json()) as { trusted: boolean };
    return health.trusted;
  });
});
afterAll(async () => {
  await Promise.all([...apis, agent].map((half) => half.stop('SIGKILL')));
  await plane.stop();
});

const cli = async (...args: string[]) => {
  const { out, err, code } = await runCli([...args, '--json'], { DATABASE_URL: logins.worker });
  return { json: out === '' ? null : (JSON.parse(out) as Record<string, unknown>), err, code };
};
const randomName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
const serving = () => [...apis, agent];
const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}/internal/${path}`, { signal: AbortSignal.timeout(10_000) })).status;
/** Returns the answers of each process to ask and route. */
const answers = (name: string) =>
  Promise.all(
    serving().map(async ({ port }) => [
      await statusOf(port, `ask?domain=${name}`),
      await statusOf(port, `route?host=${name}`),
    ]),
  );
const SERVED = [200, 204];
const WITHHELD = [403, 403];
const everywhere = (answer: number[]) => serving().map(() => answer);

async function call(api: HalfProcess, key: string, method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${api.port}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as { error?: { code: string; details: unknown } } };
}

async function tenantWithName(): Promise<{ tenant: NewTenant; name: string; id: string }> {
  const tenant = await createTenant(plane.pool, 'Somebody');
  await plane.setOrigin('http://127.0.0.1:9', tenant);
  const name = randomName();
  return { tenant, name, id: await plane.connect(name, 'live', tenant) };
}

const auditOf = (target: string) =>
  plane.pool.any(
    sql.type(z.object({ action: z.string(), reason: z.string().nullable(), tenant_id: z.string().nullable() }))`
      SELECT action, reason, tenant_id FROM audit_log WHERE (target_id::text = ${target} OR target = ${target})
        AND action NOT IN ('tenant.created') ORDER BY created_at, id
    `,
  );

test('a suspended tenant is refused and its hostnames are not served, in every process once the command returns', async () => {
  const { tenant, name } = await tenantWithName();
  const other = await tenantWithName();
  const held = randomName();
  await plane.connect(held, 'verified', tenant);
  expect(await answers(name)).toEqual(everywhere(SERVED));

  expect(await cli('tenant', 'suspend', '--tenant', tenant.tenant_id, '--reason', 'phishing, ticket 7')).toMatchObject({
    code: 0,
    json: { tenant_id: tenant.tenant_id, missed_by: [] },
  });
  expect(await answers(name)).toEqual(everywhere(WITHHELD));
  expect(await answers(held)).toEqual(everywhere(WITHHELD));
  expect(await answers(other.name)).toEqual(everywhere(SERVED));
  for (const api of apis) {
    const { status, body } = await call(api, tenant.test.key, 'GET', '/connections');
    expect({ status, ...body.error }).toMatchObject({
      status: 403,
      code: 'forbidden',
      details: { reason: 'tenant_suspended' },
    });
    expect(JSON.stringify(body)).not.toContain('phishing');
    expect((await call(api, other.tenant.test.key, 'GET', '/connections')).status).toBe(200);
  }

  // A process that starts now knows it too, and so does an edge that starts without a database.
  await apis[0]!.stop();
  apis[0] = await startApi();
  await agent.stop('SIGKILL');
  await startAgent('postgres://nobody@127.0.0.1:1/nothing');
  expect(await answers(name)).toEqual(everywhere(WITHHELD));
  expect((await answers(other.name)).at(-1)).toEqual(SERVED);
  await agent.stop('SIGKILL');
  await startAgent();

  expect((await cli('tenant', 'resume', '--tenant', tenant.tenant_id)).code).toBe(0);
  await until(async () => JSON.stringify((await answers(name)).at(-1)) === JSON.stringify(SERVED));
  expect(await answers(name)).toEqual(everywhere(SERVED));
  expect((await answers(held)).map(([ask]) => ask)).toEqual([200, 200, 200]);
  for (const api of apis) expect((await call(api, tenant.test.key, 'GET', '/connections')).status).toBe(200);
  expect(await auditOf(tenant.tenant_id)).toEqual([
    { action: 'tenant.suspended', reason: 'phishing, ticket 7', tenant_id: tenant.tenant_id },
    { action: 'tenant.resumed', reason: null, tenant_id: tenant.tenant_id },
  ]);
  // The tenant's audit log shows the action, but not the operator's reason.
  const { body } = await call(apis[1]!, tenant.live.key, 'GET', '/audit');
  expect(JSON.stringify(body)).toContain('tenant.suspended');
  expect(JSON.stringify(body)).not.toContain('ticket 7');
});

test('a blocked hostname is not served, and no tenant can connect or verify it, until it is unblocked', async () => {
  const { tenant, name, id } = await tenantWithName();
  expect(await cli('hostname', 'block', '--hostname', name.toUpperCase(), '--reason', 'court order')).toMatchObject({
    code: 0,
    json: { hostname: name, blocked: true },
  });
  expect(await answers(name)).toEqual(everywhere(WITHHELD));
  const refused = { status: 403, body: { error: { code: 'forbidden', details: { reason: 'hostname_blocked' } } } };
  for (const api of apis) {
    const body = { application_id: tenant.test.application_id, hostname: name };
    expect(await call(api, tenant.test.key, 'POST', '/connections', body)).toMatchObject(refused);
    expect(await call(api, tenant.test.key, 'POST', `/connections/${id}/verify`)).toMatchObject(refused);
  }
  const batch = { application_id: tenant.test.application_id, hostnames: [name, randomName()] };
  const { status, body } = await call(apis[0]!, tenant.test.key, 'POST', '/batches', batch);
  expect([status, JSON.stringify(body)]).toEqual([201, expect.stringContaining('"code":"hostname_blocked"')]);

  // The block stays while the connection changes. After the unblock, the hostname is served according to its state.
  await plane.setState(id, 'drifted');
  await plane.setState(id, 'live');
  expect(await answers(name)).toEqual(everywhere(WITHHELD));
  expect((await cli('hostname', 'unblock', '--hostname', name)).code).toBe(0);
  expect(await answers(name)).toEqual(everywhere(SERVED));
  expect(await auditOf(name)).toMatchObject([
    { action: 'hostname.blocked', reason: 'court order', tenant_id: tenant.tenant_id },
    { action: 'hostname.unblocked', tenant_id: tenant.tenant_id },
  ]);
  expect(await cli('hostname', 'unblock', '--hostname', name)).toMatchObject({
    code: 1,
    err: `${name} is not blocked.\n`,
  });
});

test('a hostname without a connection can be blocked, and is not served when a tenant proves it later', async () => {
  const name = randomName();
  expect((await cli('hostname', 'block', '--hostname', name, '--reason', 'a brand')).code).toBe(0);
  const tenant = await createTenant(plane.pool, 'Late');
  await plane.connect(name, 'live', tenant);
  expect(await answers(name)).toEqual(everywhere(WITHHELD));
  expect((await cli('audit')).json).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ action: 'hostname.blocked', target: name, tenant_id: null, reason: 'a brand' }),
    ]) as unknown,
  });
});

test('blocking and connecting a hostname at the same time never leaves it served', async () => {
  const names = Array.from({ length: 20 }, randomName);
  const rows = await Promise.all(names.map((name) => newConnection(plane.pool, plane.tenant, name)));
  await Promise.all([
    ...rows.map(({ id }) => plane.setState(id, 'live')),
    ...names.map((name) =>
      plane.pool.query(sql.type(z.object({}))`
        INSERT INTO blocked_hostnames (hostname, reason, blocked_at) VALUES (${name}, 'race', now())
      `),
    ),
  ]);
  const standings = await plane.pool.anyFirst(sql.type(z.object({ standing: z.string() }))`
    SELECT standing FROM admissions WHERE hostname = ANY(${sql.array(names, 'text')})
  `);
  expect(standings).toEqual(names.map(() => 'blocked'));
});

test('another tenant can take a released claim, and the audit log records the operator', async () => {
  const { name, id, tenant } = await tenantWithName();
  expect(await cli('claim', 'release', '--hostname', name, '--reason', 'sold, ticket 9')).toMatchObject({
    code: 0,
    json: { hostname: name, connection_id: id, released: true },
  });
  expect(await answers(name)).toEqual(everywhere([403, 410]));
  const next = await createTenant(plane.pool, 'Buyer');
  await plane.setOrigin('http://127.0.0.1:9', next);
  await plane.connect(name, 'live', next);
  expect(await answers(name)).toEqual(everywhere(SERVED));
  expect(await auditOf(id)).toEqual([
    { action: 'claim.released', reason: 'sold, ticket 9', tenant_id: tenant.tenant_id },
  ]);
  expect(await cli('claim', 'release', '--hostname', randomName(), '--reason', 'x')).toMatchObject({ code: 1 });
});

test('wrong arguments are refused with one sentence and change nothing', async () => {
  expect(await cli('tenant', 'suspend', '--tenant', plane.tenant.tenant_id)).toMatchObject({ code: 2 });
  expect(await cli('tenant', 'suspend', '--tenant', crypto.randomUUID(), '--reason', 'x')).toMatchObject({ code: 1 });
  expect(await cli('hostname', 'block', '--hostname', 'not a name', '--reason', 'x')).toMatchObject({ code: 2 });
});
