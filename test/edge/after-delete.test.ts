import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { until } from '../support/until.ts';

let plane: ControlPlane;
let proxies: FreezingProxy[];
let apis: HalfProcess[];
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

beforeAll(async () => {
  plane = await startControlPlane();
  proxies = await Promise.all([1, 2, 3].map(() => startFreezingProxy(plane.databaseUrl)));
  apis = await Promise.all(proxies.map(({ url }) => startApiProcess(url, { RATE_LIMIT_KEY: '0' })));
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(apis.map((api) => api.stop()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await plane.stop();
});

const statusOf = async (port: number, name: string): Promise<number> => {
  const asking = request({ port, path: `/internal/ask?bare=1&domain=${name}`, agent }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
};

const archive = async (id: string, port: number): Promise<number> => {
  const { key } = plane.tenant.test;
  const url = `http://127.0.0.1:${port}/v1/connections/${id}`;
  return (await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })).status;
};

const NAMES = 100;
const ASKS_PER_NAME = 100;

test('after DELETE returned, 3 processes under load deny all of 10,000 asks, even a process that receives no notifications', async () => {
  const names = Array.from({ length: NAMES }, (_, i) => `n${i}-${crypto.randomUUID().slice(0, 8)}.example-shop.com`);
  const ids = await Promise.all(names.map((name) => plane.connect(name)));
  await until(async () => {
    const statuses = await Promise.all(names.flatMap((name) => apis.map(({ port }) => statusOf(port, name))));
    return statuses.every((status) => status === 204);
  });
  let isOver = false;
  const load = apis.map(async ({ port }) => {
    while (!isOver) {
      await Promise.all([1, 2, 3, 4].map(() => statusOf(port, 'nobody.example-shop.com')));
      await pause(5);
    }
  });

  const after: number[] = [];
  let frozen = 0;
  for (const [index, name] of names.entries()) {
    // From now on the processes lose their notifications one after the other, unnoticed, during the work.
    if (index % 40 === 20) frozen += proxies[Math.floor(index / 40) % 3]!.freezeListeners();
    expect(await archive(ids[index]!, apis[index % 3]!.port)).toBe(200);
    const asks = Array.from({ length: ASKS_PER_NAME }, (_, i) => statusOf(apis[i % 3]!.port, name));
    after.push(...(await Promise.all(asks)));
  }
  isOver = true;
  await Promise.all(load);
  expect(frozen).toBeGreaterThanOrEqual(2);
  expect(after).toHaveLength(NAMES * ASKS_PER_NAME);
  expect(after.filter((status) => status < 400)).toEqual([]);
}, 120_000);
