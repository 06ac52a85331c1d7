import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { runningServers } from '../../src/embedded/orphans.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { FROM_CONSOLE } from '../support/fixtures/console.ts';
import { visitOver } from '../support/fixtures/edge-lab.ts';
import { addresses, startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';
import { Service, type Demo } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

jest.setTimeout(180_000);

const ADDRESSES: Record<string, string> = {
  'loopback.attacker-site.com': '127.0.0.1',
  'internal.attacker-site.com': '10.0.0.5',
  'metadata.attacker-site.com': '169.254.169.254',
};

/** Returns the listening ports of a process and its children, as reported by the kernel. */
function listeningPorts(pid: number): number[] {
  const parents = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = new Set([pid]);
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const [child = 0, parent = 0] of parents) if (family.has(parent)) family.add(child);
  }
  const lines = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' }).split('\n');
  const ours = lines.filter((line) => [...line.matchAll(/pid=(\d+)/g)].some(([, id]) => family.has(Number(id))));
  return [...new Set(ours.map((line) => Number(/:(\d+)\s/.exec(line)?.[1])))].toSorted((a, b) => a - b);
}

/**
 * A service that other machines can reach, started without NODE_ENV. Its operator allows origins and receivers on
 * loopback, so only the rule for own listeners protects them from a tenant.
 */
describe('npm start on a public address', () => {
  let dns: LyingServer;
  let origin: EchoOrigin;
  let service: Service;
  let demo: Demo;
  let ports: number[];
  let hostname: string;
  let root: string;

  beforeAll(async () => {
    dns = await startLyingServer('127.0.0.1', await freePort());
    dns.answerWith(addresses(ADDRESSES));
    origin = await startEchoOrigin('the tenant’s product');
    service = await Service.start(await tempFolder(), {
      HOST: '0.0.0.0',
      DNS_RESOLVERS: `${dns.address}:${dns.port}`,
      ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1',
      WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1',
    });
    demo = await service.demo();
    const ofDemo = await Promise.all(['demo-origin', 'demo-receiver'].map(portIn));
    ports = listeningPorts(service.pid).filter((port) => !ofDemo.includes(port));
    root = await readFile(join(service.dataDir, 'edge/root.crt'), 'utf8');
    hostname = `${randomUUID().slice(0, 8)}.auto.test`;
    expect((await saveOrigin(origin.url)).status).toBe(200);
    await service.untilLive(await service.connect(hostname));
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([dns.stop(), origin.stop()]);
  });

  const portIn = async (file: string) =>
    (JSON.parse(await readFile(join(service.dataDir, `${file}.json`), 'utf8')) as { port: number }).port;
  const saveOrigin = (origin_url: string) =>
    service.call('PATCH', `/applications/${demo.test.application_id}`, { origin_url });
  const saveReceiver = (url: string) =>
    service.call('POST', '/webhook-endpoints', { application_id: demo.test.application_id, url });
  const visit = () => visitOver(Number(new URL(demo.edge_https_url ?? '').port), root, hostname);
  /** Returns the error without the parts that differ between URLs. */
  const refusal = ({ status, body }: Awaited<ReturnType<typeof saveOrigin>>, host: string) => ({
    status,
    text: JSON.stringify(body)
      .replaceAll(host, 'HOST')
      .replace(/"request_id":"[^"]*"/, ''),
  });

  test('listens on the ports that this test checks: API, internal, agent, edge, Postgres, Temporal and its UI', async () => {
    const { database_url } = (await runningServers(service.dataDir))!;
    const known = [demo.base_url, demo.internal_url, demo.temporal_ui_url, demo.edge_https_url ?? '', database_url, `tcp://${demo.temporal_address}`]; // prettier-ignore
    for (const url of known) expect(ports).toContain(Number(new URL(url).port));
    expect(ports.length).toBeGreaterThanOrEqual(12);
  });

  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '127.9.9.9',
    'loopback.attacker-site.com',
  ])('one of our own listeners on %s can be neither origin nor receiver', async (host) => {
    for (const port of ports)
      for (const save of [saveOrigin, saveReceiver])
        expect([port, (await save(`http://${host}:${port}`)).status]).toEqual([port, 400]);
  });

  test('a saved origin is not dialled once one of our own listeners has its address', async () => {
    const { database_url } = (await runningServers(service.dataDir))!;
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    const set = (url: string) =>
      client.query('UPDATE applications SET origin_url = $1 WHERE id = $2', [url, demo.test.application_id]);
    try {
      await set(origin.url);
      await until(async () => (await visit()).body.includes('the tenant’s product'));
      for (const port of ports)
        for (const host of ['127.0.0.1', 'localhost', 'loopback.attacker-site.com']) {
          await set(`http://${host}:${port}`);
          await until(async () => !(await visit()).body.includes('the tenant’s product'));
          const { status, body } = await visit();
          expect([host, port, status, /<title>/.test(body)]).toEqual([host, port, 502, true]);
          await set(origin.url);
          await until(async () => (await visit()).body.includes('the tenant’s product'));
        }
    } finally {
      await client.end();
    }
  });

  test('a hostname that does not exist and one with an internal address are refused with the same bytes', async () => {
    for (const save of [saveOrigin, saveReceiver]) {
      const missing = 'missing.attacker-site.com';
      const expected = refusal(await save(`https://${missing}`), missing);
      expect(expected).toMatchObject({ status: 400, text: expect.stringContaining('HOST has no address') as string });
      for (const host of ['internal.attacker-site.com', 'metadata.attacker-site.com'])
        expect(refusal(await save(`https://${host}`), host)).toEqual(expected);
    }
  });

  test('internal paths, metrics and the demo are not on the public listener, and the internal listener is on loopback', async () => {
    const statusOf = async (base: string, path: string) => (await fetch(base + path)).status;
    for (const path of [
      '/metrics',
      '/demo',
      '/demo/',
      '/internal/ask?domain=a.com',
      '/internal/route?host=a.com',
      '/internal/admission?host=a.com',
      '/internal/page?status=500',
      '/internal/codec/decode',
    ])
      // prettier-ignore
      expect([path, await statusOf(demo.base_url, path)]).toEqual([path, 404]);
    const button = { method: 'POST', headers: FROM_CONSOLE };
    expect((await fetch(`${demo.base_url}/console/api/session:demo`, button)).status).toBe(404);
    expect(await statusOf(demo.internal_url, '/metrics')).toBe(200);
    const { port } = new URL(demo.internal_url);
    const [listener] = execFileSync('ss', ['-Hltn', `sport = :${port}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(listener).toContain(`127.0.0.1:${port}`);
  });

  test('prints no key and no demo, and keeps both in a file that only its owner can read', async () => {
    for (const secret of [demo.test.key, demo.live.key, '/demo ', 'Bearer'])
      expect([secret, service.output.includes(secret)]).toEqual([secret, false]);
    expect(service.output).not.toMatch(/\bsk_/);
    expect(service.output).toContain(join(service.dataDir, 'demo.json'));
    expect((await stat(join(service.dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
  });
});
