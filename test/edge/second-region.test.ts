import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { FeedHub } from '../../src/edge/feed/hub.ts';
import { startFeedServer } from '../../src/edge/feed/server.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { newPrivateKey } from '../../src/x509/keys.ts';
import { selfSigned } from '../../src/x509/self-signed.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { addEdge } from '../support/fixtures/feed-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);
const ROOT = join(import.meta.dirname, '../..');

/** A network of its own that ends at this machine: two addresses, and no route beyond. */
const network = `region-${process.pid}`;
const [HERE, THERE] = ['10.213.77.1', '10.213.77.2'];
const [near, far] = [`rh${process.pid}`, `re${process.pid}`];
const AGENT_PORT = 8090;

/** Shown as skipped where networks cannot be created, as in a container without that right. */
const mayCreateNetworks = spawnSync('ip', ['netns', 'add', network]).status === 0;
const testInNetwork = mayCreateNetworks ? test : test.skip;

let plane: ControlPlane;
let feed: { port: number; stop(): Promise<void> } | undefined;
let agent: ChildProcess | undefined;

const inside = (...command: string[]) => run('ip', ['netns', 'exec', network, ...command]);

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.setOrigin('http://127.0.0.1:9');
  if (!mayCreateNetworks) return;
  await ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far);
  await ip('link', 'set', far, 'netns', network);
  await ip('addr', 'add', `${HERE}/30`, 'dev', near);
  await ip('link', 'set', near, 'up');
  await inside('ip', 'addr', 'add', `${THERE}/30`, 'dev', far);
  for (const device of ['lo', far]) await inside('ip', 'link', 'set', device, 'up');
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  await feed?.stop();
  if (mayCreateNetworks) await ip('netns', 'delete', network);
  await plane.stop();
});

testInNetwork(
  'an edge in a network that reaches nothing but the feed serves, follows changes, and continues when the feed is gone',
  async () => {
    const folder = await tempFolder();
    const hub = new FeedHub(plane.databaseUrl, pino({ level: 'silent' }));
    const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    const key = await newPrivateKey();
    await writeFile(tls.keyFile, key, { mode: 0o600 });
    await writeFile(tls.certFile, await selfSigned(key, ['feed', HERE], { from: new Date(), days: 1 }));
    const server = await startFeedServer({ hub, authority: null, host: HERE, port: await freePort(), tls });
    const { port } = server;
    feed = {
      port,
      async stop() {
        await server.stop();
        await hub.stop();
      },
    };
    await until(() => hub.isReady);

    const edge = await addEdge(plane.pool);
    const settings = {
      PATH: process.env['PATH'],
      EDGE_FEED_URL: `https://${HERE}:${port}`,
      EDGE_FEED_CA_FILE: tls.certFile,
      EDGE_TOKEN: edge.token,
      EDGE_AGENT_DIR: edge.folder,
      EDGE_AGENT_PORT: String(AGENT_PORT),
      DNS_RESOLVERS: '127.0.0.1:9',
      ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8',
      LOG_LEVEL: 'error',
    };
    agent = spawn('ip', ['netns', 'exec', network, process.execPath, 'src/main/edge.ts'], { cwd: ROOT, env: settings, stdio: 'ignore' }); // prettier-ignore
    const answers = async (path: string): Promise<string> => {
      const script = `fetch('http://127.0.0.1:${AGENT_PORT}${path}').then(async (r) => console.log(r.status, await r.text()), () => console.log('no answer'))`; // prettier-ignore
      return (await inside(process.execPath, '-e', script)).stdout.trim();
    };
    const hostname = 'shop.other-region.com';
    const id = await plane.connect(hostname);
    await until(async () => (await answers('/healthz')).includes('"trusted":true'), 60_000);
    expect(await answers(`/internal/ask?bare=1&domain=${hostname}`)).toBe('204');

    // Neither the database nor another listener of this machine is reachable from there.
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port: otherPort } = other.address() as { port: number };
    const reaches = async (host: string, at: number): Promise<boolean> => {
      return inside('bash', '-c', `: < /dev/tcp/${host}/${at}`).then(() => true, () => false); // prettier-ignore
    };
    const database = new URL(plane.databaseUrl);
    expect(await reaches(HERE, port)).toBe(true);
    for (const [host, at] of [
      [HERE, Number(database.port)],
      ['127.0.0.1', Number(database.port)],
      [HERE, otherPort],
      ['192.0.2.1', 443],
    ] as const)
      // prettier-ignore
      expect(await reaches(host, at)).toBe(false);
    other.close();

    await plane.setState(id, 'archived');
    await untilEveryCopyKnows(plane.pool, { connectionId: id });
    expect(await answers(`/internal/ask?bare=1&domain=${hostname}`)).toBe('403');
    const late = 'late.other-region.com';
    await plane.connect(late);
    await ip('link', 'set', near, 'down');
    await until(async () => (await answers('/healthz')).includes('"trusted":false'));
    expect(await answers(`/internal/ask?bare=1&domain=${late}`)).toBe('204');
  },
  180_000,
);
