import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { AnswerGeneration } from '../../src/edge/answer-generation.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { usesModule } from '../support/fixtures/edge-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Guarantees that hold for both builds of Caddy. `npm run test:module` runs them with the one that keeps answers. */
let lab: EdgeWithAgent;
let first: Server;
let second: Server;

const originNamed = async (name: string): Promise<Server> => {
  const server = createServer((request, response) =>
    response.setHeader('x-origin', name).end(JSON.stringify(request.headers)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  [first, second] = [await originNamed('first'), await originNamed('second')];
  lab = await startEdgeWithAgent();
  await lab.control.setOrigin(urlOf(first));
});
afterAll(async () => {
  await lab.stop();
  for (const server of [first, second]) server.close();
});

const newName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
const archive = async (id: string): Promise<void> => {
  await lab.control.setState(id, 'archived');
  await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
};
const statusOf = async (hostname: string): Promise<number> => (await lab.visit(hostname)).status;

/** Sends requests without a pause until stopped. Each records whether it began after `mark` was called. */
function load(hostname: string) {
  let isMarked = false;
  let isStopped = false;
  const after: string[] = [];
  const visitor = async (): Promise<void> => {
    while (!isStopped) {
      const began = isMarked;
      const { status, headers } = await lab.visit(hostname);
      if (began) after.push(`${status} ${String(headers['x-origin'])}`);
    }
  };
  const running = Promise.all([visitor(), visitor(), visitor()]);
  return {
    mark: () => (isMarked = true),
    async stop(): Promise<Set<string>> {
      await until(() => after.length >= 10);
      isStopped = true;
      await running;
      return new Set(after);
    },
  };
}

test('under load, no request that begins after DELETE has returned reaches the origin', async () => {
  for (let round = 0; round < 3; round++) {
    const hostname = newName();
    const id = await lab.control.connect(hostname);
    await lab.visit(hostname);
    const visitors = load(hostname);
    await archive(id);
    visitors.mark();
    expect(await visitors.stop()).toEqual(new Set(['410 undefined']));
  }
});

test('under load, every request that begins after a change of the origin has returned goes to the new one', async () => {
  const hostname = newName();
  await lab.control.connect(hostname);
  await lab.visit(hostname);
  const visitors = load(hostname);
  await lab.control.setOrigin(urlOf(second));
  visitors.mark();
  expect(await visitors.stop()).toEqual(new Set(['200 second']));
  await lab.control.setOrigin(urlOf(first));
});

test('while the agent is frozen, DELETE waits for its lease, and no later request reaches the origin', async () => {
  const hostname = newName();
  const id = await lab.control.connect(hostname);
  expect(await statusOf(hostname)).toBe(200);
  process.kill(lab.agent.pid, 'SIGSTOP');
  try {
    await archive(id);
    expect(await statusOf(hostname)).toBe(410); // from the control plane
  } finally {
    process.kill(lab.agent.pid, 'SIGCONT');
  }
  await lab.untilTrusted();
  expect(await statusOf(hostname)).toBe(410);
});

test('after the agent was killed, DELETE waits for its lease, and no later request reaches the origin', async () => {
  const hostname = newName();
  const id = await lab.control.connect(hostname);
  expect(await statusOf(hostname)).toBe(200);
  await lab.agent.stop('SIGKILL');
  await archive(id);
  expect(await statusOf(hostname)).toBe(410);
  await lab.startAgent();
  await lab.untilTrusted();
  expect(await statusOf(hostname)).toBe(410);
});

test('a change that arrives after the agent was cut off from the control plane is not missed', async () => {
  const hostname = newName();
  const id = await lab.control.connect(hostname);
  expect(await statusOf(hostname)).toBe(200);
  lab.database.cut();
  await archive(id);
  await lab.database.heal();
  await lab.untilTrusted();
  expect(await statusOf(hostname)).toBe(410);
});

test('a repeated request gets the same headers as the first, and forged ones never reach the origin', async () => {
  const hostname = newName();
  await lab.control.connect(hostname);
  const headers = {
    'x-svc-metadata': 'forged',
    'x-svc-edge-signature': 'forged',
    'x-forwarded-port': '1',
    upgrade: 'h2c',
  };
  const seen = async () => {
    const { status, headers: answered, body } = await lab.visit(hostname, { headers });
    const received = { ...(JSON.parse(body) as Record<string, string>), 'x-request-id': 'differs' };
    return { status, hsts: answered['strict-transport-security'], sniff: answered['x-content-type-options'], received };
  };
  const visits = [await seen(), await seen(), await seen()];
  expect(visits[1]).toEqual(visits[0]);
  expect(visits[2]).toEqual(visits[0]);
  expect(visits[0]).toMatchObject({ status: 200, hsts: 'max-age=86400', sniff: 'nosniff' });
  for (const name of Object.keys(headers)) expect(visits[0]?.received).not.toHaveProperty(name);
  const looped = await lab.visit(hostname, { headers: { 'cdn-loop': 'svc-edge, other, svc-edge' } });
  expect(looped.status).toBe(508);
});

if (usesModule)
  test('with our module, a current answer is used without a question to the agent', async () => {
    const hostname = newName();
    await lab.control.connect(hostname);
    // The control plane is silent too, so only a kept answer can serve. A busy machine may need several attempts.
    await lab.control.fallSilent();
    await until(async () => {
      await lab.untilTrusted();
      await lab.visit(hostname);
      process.kill(lab.agent.pid, 'SIGSTOP');
      const visit = lab.visit(hostname).then(({ status }) => status, () => 0); // prettier-ignore
      const isKept = await Promise.race([visit, new Promise((resolve) => setTimeout(resolve, 1_000))]);
      process.kill(lab.agent.pid, 'SIGCONT');
      await visit;
      return isKept === 200;
    }, 60_000);
    await lab.control.answer();
  });

test('the generation changes with the copy, and exists only while the copy is trusted', async () => {
  const generation = new AnswerGeneration(join(await tempFolder(), 'generation'));
  expect(generation.current).toBeUndefined();
  generation.trusted(performance.now() + 60_000);
  const before = generation.current;
  expect(before).toMatch(/^[0-9a-f]{16}$/);
  generation.changed();
  expect(generation.current).not.toBe(before);
  generation.trusted(performance.now() - 1);
  expect(generation.current).toBeUndefined();
  await generation.stop();
});
