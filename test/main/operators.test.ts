import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { runningServers } from '../../src/embedded/orphans.ts';
import { showConnections } from '../../src/main/maintenance.ts';
import { createMetrics } from '../../src/metrics.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { metricsOfDashboards } from '../support/dashboard-metrics.ts';
import { freeDnsPort } from '../support/fixtures/dns-port.ts';
import { startAgentProcess } from '../support/fixtures/half-process.ts';
import { startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';
import { Service, type Demo } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Covers what operators see and do with a running service. */
let service: Service;
let resolver: LyingServer;
let database: pg.Client;
let demo: Demo;

beforeAll(async () => {
  resolver = await startLyingServer('127.0.0.1', await freeDnsPort(['127.0.0.1']));
  resolver.answerWith(() => ({ answers: [] }));
  service = await Service.start(await tempFolder(), { DNS_RESOLVERS: `${resolver.address}:${resolver.port}` });
  demo = await service.demo();
  database = new pg.Client({ connectionString: (await runningServers(service.dataDir))!.database_url });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.stop();
  await resolver.stop();
});

const env = (): Record<string, string> => ({
  DATA_DIR: service.dataDir,
  DNS_RESOLVERS: `${resolver.address}:${resolver.port}`,
});
const run = (...args: string[]) => runCli(args, env());
const cli = async (...args: string[]) => {
  const { out, code, err } = await run(...args, '--json');
  return { json: (out === '' ? {} : JSON.parse(out)) as Record<string, unknown>, code, err };
};
const label = () => randomUUID().slice(0, 8);
const shown = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;

describe('connect', () => {
  test('--watch prints each line of its checklist once until the hostname is live, and diagnose then reports it healthy', async () => {
    const hostname = `${label()}.auto.test`;
    const { out, err, code } = await run('connect', hostname, '--watch');
    expect(code).toBe(0);
    expect(out).toBe(`${hostname}: live\n`);
    const printed = err.split('\n').filter((line) => line.startsWith('[x]'));
    expect(printed).toEqual([...new Set(printed)]);

    const found = await cli('diagnose', hostname.toUpperCase());
    expect(found).toMatchObject({
      code: 0,
      json: {
        healthy: true,
        edge: { standing: 'serving', blocked: null, suspended: false },
        connections: [{ state: 'live', workflow: 'running', wrong: [], holds_claim: true }],
      },
    });
  });

  test('diagnose shows what a hostname waits for, and does not find a hostname that is not connected', async () => {
    const hostname = `shop.${label()}.test`;
    await cli('connect', hostname);
    const { json, code } = await cli('diagnose', hostname);
    expect(code).toBe(3);
    expect(json).toMatchObject({ healthy: false, edge: null, connections: [{ hostname, holds_claim: false }] });
    const [connection] = json['connections'] as { next: string; wrong: object[] }[];
    expect(connection!.next).toMatch(/^It waits for the ownership record; it fails on \d{4}-.* The next check is at /);
    // A running check shows as verifying.
    expect((await run('diagnose', hostname)).out).toMatch(
      new RegExp(`^${hostname}: (pending_ownership|verifying) since`, 'm'),
    );
    expect(await cli('diagnose', `${label()}.auto.test`)).toMatchObject({ code: 4, json: { connections: [] } });
  });
});

test('doctor finds no problem in a healthy service, and names the broken part of another', async () => {
  const { json, code } = await cli('doctor');
  const checks = json['checks'] as { name: string; status: string; message: string }[];
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(code).toBe(0);
  expect(new Set(checks.map(({ name }) => name))).toEqual(
    new Set(['database', 'schema', 'clock', 'temporal', 'edge', 'ask', 'dns', 'keys']),
  );
  const broken = await runCli(['doctor', '--json'], { ...env(), DNS_RESOLVERS: '127.0.0.1:9' });
  expect(broken.code).toBe(3);
  expect(JSON.parse(broken.out)).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'dns', status: 'fail' })]) as unknown,
  });
  expect((await run('doctor')).out).toMatch(/^ok {4}database {2}Postgres /m);
});

test('the API, a worker or an agent exports every metric of the dashboard and the alerts', async () => {
  const agent = await startAgentProcess((await runningServers(service.dataDir))!.database_url, {
    folder: await tempFolder(),
  });
  const exported = new Set<string>();
  for (const url of [demo.internal_url, `http://127.0.0.1:${agent.port}`]) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) exported.add(name);
  }
  await agent.stop();
  expect([...(await metricsOfDashboards())].filter((name) => !exported.has(name))).toEqual([]);
});

test('connections are counted by state and provider, and the time to live is measured', async () => {
  const hostname = `${label()}.auto.test`;
  await service.untilLive(await service.connect(hostname));
  let text = '';
  await until(async () => {
    text = await (await fetch(`${demo.internal_url}/metrics`)).text();
    return /^connection_time_to_live_seconds_count [1-9]/m.test(text); // counted after the row is live
  });
  expect(text).not.toContain(hostname);

  const pool = await createPool((await runningServers(service.dataDir))!.database_url, { max: 1, name: 'test' });
  const metrics = createMetrics();
  await showConnections({ pool, metrics });
  await pool.end();
  const counted = await metrics.registry.metrics();
  expect(counted).toMatch(/^connections\{state="live",provider="sandbox"\} [1-9]/m);
  expect(counted).toMatch(/^certificates\{ends_in="(\d+d|more)"\} [1-9]/m);
});

test('while its provider is paused a connection uses manual setup, and after the resume it continues automatically', async () => {
  const zone = `${label()}.test`;
  const given = await service.call('POST', `/applications/${demo.test.application_id}/credentials`, {
    provider: 'sandbox',
    credentials: { zone },
  });
  expect(given.status).toBe(201);
  expect((await cli('provider', 'pause', '--provider', 'sandbox', '--reason', 'its API loses records')).code).toBe(0);
  const id = await service.connect(`shop.${zone}`);
  let waiting: Record<string, unknown> = {};
  // Between checks it waits; a running check shows as verifying.
  await until(async () => {
    waiting = await shown(id);
    return waiting['last_checked_at'] !== null && waiting['state'] === 'pending_ownership';
  });
  expect(waiting).toMatchObject({ setup_type: 'manual' });
  expect(waiting['findings']).toContainEqual(expect.objectContaining({ code: 'provider_paused', severity: 'warning' }));
  expect((await cli('status')).json).toMatchObject({ paused_providers: [{ provider: 'sandbox' }] });
  const shownAgain = `/applications/${demo.test.application_id}/credentials/${String(given.body['id'])}:test`;
  expect((await service.call('POST', shownAgain)).body).toMatchObject({
    status: 'unverified',
    reason: 'Sandbox is paused by the operator of this service.',
  });
  const written = await database.query('SELECT FROM dns_ledger WHERE connection_id = $1', [id]);
  expect(written.rowCount).toBe(0);

  expect((await cli('provider', 'resume', '--provider', 'sandbox')).code).toBe(0);
  await service.call('POST', shownAgain);
  expect(await service.untilLive(id)).toMatchObject({ setup_type: 'automatic', findings: [] });
  expect(await cli('provider', 'pause', '--provider', 'nobody', '--reason', 'x')).toMatchObject({ code: 2 });
});

describe('deletion', () => {
  const tablesWith = async (column: string): Promise<string[]> => {
    const { rows } = await database.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'public' AND column_name = $1 AND table_type = 'BASE TABLE'`,
      [column],
    );
    return rows.map(({ table_name }) => table_name);
  };
  const rowsOf = async (column: string, id: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of await tablesWith(column)) {
      const { rows } = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`, [id]); // prettier-ignore
      if (rows[0]!.n > 0) counts[table] = rows[0]!.n;
    }
    return counts;
  };

  /** Creates a tenant with every kind of data, live connections, and records of ours in its zones. */
  async function busyTenant() {
    const tenant = (await cli('tenant', 'create', '--name', 'Leaving')).json as unknown as Demo;
    const user = new ApiUser(demo.base_url, tenant.test);
    const application = `/applications/${tenant.test.application_id}`;
    const zone = `${label()}.test`;
    await user.call('POST', `${application}/credentials`, { provider: 'sandbox', credentials: { zone } });
    const endpoint = {
      application_id: tenant.test.application_id,
      url: 'http://127.0.0.1:9/hook',
      events: ['domain.added', 'domain.verified'],
    };
    expect((await user.call('POST', '/webhook-endpoints', endpoint)).status).toBe(201);
    const names = [`a.${zone}`, `b.${zone}`, `${label()}.auto.test`];
    const ids = await Promise.all(names.map((name) => user.connect(name)));
    await user.call('POST', `/connections/${ids[0]!}/share`, {});
    await user.call('POST', '/batches', { application_id: tenant.test.application_id, hostnames: [`c.${zone}`] });
    for (const id of ids) await user.untilLive(id);
    return { tenant, user, names };
  }

  test('of a tenant removes all of its data, even if it is killed midway, and keeps the audit log', async () => {
    const { tenant, user, names } = await busyTenant();
    const of = ['--tenant', tenant.tenant_id];
    const refused = await cli('tenant', 'delete', ...of);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('4 connections') as unknown });
    expect((await user.call('GET', `/connections?state=live&hostname=${names[0]!}`)).body['data']).toHaveLength(1);

    const killed = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli/main.ts'), 'tenant', 'delete', ...of, '--yes'], { env: { PATH: process.env['PATH'], ...env() } }); // prettier-ignore
    await once(killed.stderr, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    expect(await cli('tenant', 'delete', ...of, '--yes')).toMatchObject({ code: 0, json: { deleted: true } });
    const left = await rowsOf('tenant_id', tenant.tenant_id);
    expect(Object.keys(left)).toEqual(['audit_log']);
    expect(await rowsOf('application_id', tenant.test.application_id)).toEqual({ admissions: 4 });
    expect((await user.call('GET', '/connections')).status).toBe(401);
    const asked = await Promise.all(
      names.map(async (name) => (await fetch(`${demo.internal_url}/internal/ask?domain=${name}`)).status),
    );
    expect(asked).toEqual([403, 403, 403]);
    const audit = await cli('audit', ...of);
    expect(JSON.stringify(audit.json)).toMatch(
      /tenant\.deleted.*application\.deleted.*tenant\.suspended.*tenant\.created/,
    );
    // Other tenants can connect its hostnames.
    const next = await service.connect(names[0]!);
    expect(await shown(next)).toMatchObject({ hostname: names[0] });
    expect(await cli('tenant', 'delete', ...of, '--yes')).toMatchObject({ code: 1 });
  });

  test('of an application leaves its tenant’s other application alone', async () => {
    const { tenant, user } = await busyTenant();
    const live = new ApiUser(demo.base_url, tenant.live);
    const deleted = await cli('application', 'delete', '--application', tenant.test.application_id, '--yes');
    expect(deleted).toMatchObject({ code: 0, json: { deleted: true } });
    expect((await user.call('GET', '/connections')).status).toBe(401);
    expect((await live.call('GET', '/connections')).body).toMatchObject({ data: [] });
    expect(Object.keys(await rowsOf('application_id', tenant.test.application_id))).toEqual(['admissions']);
  });
});
