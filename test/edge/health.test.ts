import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shakeHands, trustFile } from '../../src/edge/handshake.ts';
import { startEchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;
const newName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;

let lab: EdgeWithAgent;
let origin: Awaited<ReturnType<typeof startEchoOrigin>>;
beforeAll(async () => {
  [lab, origin] = await Promise.all([startEdgeWithAgent(), startEchoOrigin('origin')]);
  await lab.control.setOrigin(origin.url);
});
afterAll(async () => {
  await lab.stop();
  await origin.stop();
});

const edgeHealth = async (): Promise<number> =>
  (await fetch(`http://127.0.0.1:${lab.caddy.metricsPort}/healthz`)).status;

test('the edge is healthy only while its agent answers, and recovers when the agent or Caddy restarts', async () => {
  const hostname = newName();
  await lab.control.connect(hostname);
  await until(async () => (await lab.visit(hostname)).status === 200);
  expect(await edgeHealth()).toBe(200);

  await lab.agent.stop('SIGKILL');
  expect(await edgeHealth()).toBe(502);
  await lab.startAgent();
  await until(async () => (await edgeHealth()) === 200);

  await lab.restartCaddy(); // the agent keeps running
  expect(await edgeHealth()).toBe(200);
  expect((await lab.visit(hostname)).status).toBe(200);
});

test('the edge is unhealthy while its agent can answer for no hostname', async () => {
  const empty = await startEdgeWithAgent({ settings: { EDGE_STALE_FOR: '0' } });
  const health = async () => (await fetch(`http://127.0.0.1:${empty.caddy.metricsPort}/healthz`)).status;
  try {
    expect(await health()).toBe(200);
    empty.database.cut();
    await until(async () => (await health()) === 503);
    await empty.database.heal();
    await until(async () => (await health()) === 200);
  } finally {
    await empty.stop();
  }
});

test('a worker trusts the root certificate of an edge as soon as the file exists, without a restart', async () => {
  const hostname = newName();
  await lab.control.connect(hostname);
  await until(async () => (await lab.visit(hostname)).status === 200);
  const file = join(await tempFolder(), 'root.crt');
  const address = { host: '127.0.0.1', port: lab.caddy.httpsPort, trust: trustFile(file) };
  const handshake = () => shakeHands(address, hostname, 5_000, never);
  expect(await handshake()).toEqual({ outcome: 'unreachable', reason: 'EDGE_CA_FILE cannot be read' });
  await copyFile(lab.caddy.caFile ?? '', file);
  expect(await handshake()).toMatchObject({ outcome: 'shown', problem: null });
});
