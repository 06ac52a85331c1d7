import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { deleteEdge, listEdges } from '../../src/db/edge/edges.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { startAgentProcess, startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { questionStatus } from '../support/question-status.ts';

const ORIGIN = 'http://127.0.0.1:9';

let plane: ControlPlane;
let proxy: FreezingProxy;
let folder: string;
let agent: HalfProcess;

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.setOrigin(ORIGIN);
});
afterAll(() => plane.stop());
beforeEach(async () => {
  proxy = await startFreezingProxy(plane.databaseUrl);
  folder = await tempFolder();
});
afterEach(async () => {
  await agent.stop('SIGKILL');
  await proxy.stop();
});

const startAgent = async (
  more: { apiUrl?: string; staleFor?: string; settings?: NodeJS.ProcessEnv } = {},
): Promise<void> => {
  agent = await startAgentProcess(proxy.url, { folder, ...more });
};
const isTrusted = async (): Promise<boolean> => {
  const health = (await (await fetch(`http://127.0.0.1:${agent.port}/healthz`)).json()) as { trusted: boolean };
  return health.trusted;
};
const statusOf = (path: string, port = agent.port): Promise<number> => questionStatus(port, path);
const ask = (name: string, port?: number) => statusOf(`ask?bare=1&domain=${name}`, port);
const route = (name: string, port?: number) => statusOf(`route?host=${name}`, port);
const newName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
const archive = async (id: string): Promise<void> => {
  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
};

/** Cuts the agent off and waits until it notices: its lease is trusted for two seconds. */
const cutOff = async (): Promise<void> => {
  proxy.cut();
  await until(async () => !(await isTrusted()));
};

test('an agent that is cut off keeps serving its hostnames, also after a restart, and admits nothing else', async () => {
  const [serving, held, archived] = [newName(), newName(), newName()];
  await plane.connect(serving);
  await plane.connect(held, 'verified');
  const gone = await plane.connect(archived);
  await startAgent();
  await until(isTrusted);
  expect([await ask(serving), await route(serving), await ask(held), await route(held)]).toEqual([204, 204, 204, 503]);
  await archive(gone);

  await cutOff();
  const seen = async () => ({
    serving: [await ask(serving), await route(serving)],
    held: [await ask(held), await route(held)],
    archived: [await ask(archived), await route(archived)],
    unknown: [await ask(newName()), await route(newName())],
  });
  const expected = { serving: [204, 204], held: [503, 503], archived: [403, 410], unknown: [503, 503] };
  expect(await seen()).toEqual(expected);
  await agent.stop('SIGKILL');
  await startAgent();
  expect(await seen()).toEqual(expected);
  const metrics = await (await fetch(`http://127.0.0.1:${agent.port}/metrics`)).text();
  expect(/^edge_stale_answers_total (\d+)$/m.exec(metrics)?.[1]).toBe('2');
});

const health = async (): Promise<number> => (await fetch(`http://127.0.0.1:${agent.port}/healthz`)).status;

test('it is healthy while it can answer for a hostname: from its table, from the API, or from its last known state', async () => {
  await plane.connect(newName());
  await startAgent({ apiUrl: `http://127.0.0.1:${plane.port}`, staleFor: '24h' });
  await until(isTrusted);
  expect(await health()).toBe(200);
  await cutOff();
  expect(await health()).toBe(200);
  await plane.fallSilent();
  expect(await health()).toBe(200);
  await agent.stop('SIGKILL');
  await startAgent({ staleFor: '0' });
  expect(await health()).toBe(503);
  await plane.answer();
});

test('it is not healthy while its table is empty and neither database nor API answers', async () => {
  proxy.cut();
  await startAgent();
  expect(await health()).toBe(503);
  await proxy.heal();
  await until(async () => (await health()) === 200);
});

test('it asks the API while the API answers, and after reconnecting refuses hostnames archived in the meantime', async () => {
  const [early, late] = [newName(), newName()];
  const id = await plane.connect(early);
  await startAgent({ apiUrl: `http://127.0.0.1:${plane.port}` });
  await until(isTrusted);
  await cutOff();
  await plane.connect(late);
  expect([await ask(early), await ask(late)]).toEqual([204, 204]);

  await plane.fallSilent();
  expect([await ask(early), await ask(late)]).toEqual([204, 503]);
  await archive(id);
  expect(await ask(early)).toBe(204);
  await proxy.heal();
  await until(isTrusted);
  expect([await ask(early), await route(early), await ask(late)]).toEqual([403, 410, 204]);
  await plane.answer();
});

test('an edge that is cut off does not affect another edge, and both agree after it reconnects', async () => {
  const [kept, gone, late] = [newName(), newName(), newName()];
  await plane.connect(kept);
  const id = await plane.connect(gone);
  await startAgent();
  await until(isTrusted);
  const other = await startAgentProcess(plane.databaseUrl, { folder: await tempFolder() });
  try {
    await until(async () => (await route(gone, other.port)) === 204);
    await cutOff();
    await archive(id);
    await plane.connect(late);
    const seenAt = async (port: number) => [await route(kept, port), await route(gone, port), await route(late, port)];
    expect({ other: await seenAt(other.port), cutOff: await seenAt(agent.port) }).toEqual({
      other: [204, 410, 204],
      cutOff: [204, 204, 503],
    });
    await proxy.heal();
    await until(isTrusted);
    expect(await seenAt(agent.port)).toEqual([204, 410, 204]);
  } finally {
    await other.stop('SIGKILL');
  }
});

test('a tenant’s display name is on its pages, also from the journal, and never on the page of an archived hostname', async () => {
  const [held, gone] = [newName(), newName()];
  await plane.connect(held, 'live');
  const id = await plane.connect(gone);
  await plane.setOrigin(ORIGIN);
  await plane.setDisplayName('Acme <Shops> & Söhne');
  await startAgent();
  await until(isTrusted);
  await archive(id);
  const page = async (path: string) =>
    (await (await fetch(`http://127.0.0.1:${agent.port}/internal/${path}`)).text()).includes(
      'Acme &lt;Shops&gt; &amp; Söhne',
    );
  const seen = async () => [await page(`page?status=502&host=${held}`), await page(`page?status=502&host=${newName()}`), await page(`route?host=${gone}`)]; // prettier-ignore
  expect(await seen()).toEqual([true, false, false]);
  await cutOff();
  await agent.stop('SIGKILL');
  await startAgent();
  expect(await seen()).toEqual([true, false, false]);
  await plane.setDisplayName(null);
});

test('with EDGE_STALE_FOR=0 an edge that is cut off serves nothing', async () => {
  const name = newName();
  await plane.connect(name);
  await startAgent({ staleFor: '0' });
  await until(isTrusted);
  await cutOff();
  expect([await ask(name), await route(name)]).toEqual([503, 503]);
});

/** Delays between the archive and the kill, spread over the time in which the agent writes its journal. */
const DELAYS_MS = process.env['TRIES'] === 'all' ? [0, 0, 1, 2, 5, 10, 20, 50, 100, 500] : [0, 2, 10, 50, 500];

test('a hostname archived before kill -9 at any moment does not come back from the disk', async () => {
  await startAgent();
  for (const delayMs of DELAYS_MS) {
    const name = newName();
    const id = await plane.connect(name);
    await until(isTrusted);
    expect(await route(name)).toBe(204);
    await archive(id); // once this returns, every copy has acknowledged the change or lost its lease
    await pause(delayMs);
    await agent.stop('SIGKILL');
    proxy.cut();
    await startAgent();
    expect(await route(name)).toBe(410);
    await proxy.heal();
  }
}, 120_000);

test('edge-storage-is-lost.md: an agent whose folder is lost reloads everything under a new id, and the old id can be removed', async () => {
  const [serving, archived] = [newName(), newName()];
  await plane.connect(serving);
  await archive(await plane.connect(archived));
  await startAgent();
  await until(isTrusted);
  const before = new Set((await listEdges(plane.pool)).map(({ id }) => id));
  await agent.stop('SIGKILL');
  await rm(folder, { recursive: true });
  await mkdir(folder, { mode: 0o700 });
  await startAgent();
  await until(isTrusted);

  expect([await ask(serving), await route(serving), await ask(archived), await route(archived)]).toEqual([204, 204, 403, 410]); // prettier-ignore
  const after = (await listEdges(plane.pool)).map(({ id }) => id);
  expect(after.filter((id) => !before.has(id))).toHaveLength(1);
  for (const id of before)
    expect((await runCli(['edge', 'forget', '--id', id], { DATABASE_URL: plane.databaseUrl })).code).toBe(0);
  expect((await listEdges(plane.pool)).map(({ id }) => id)).toEqual(after.filter((id) => !before.has(id)));
});

test('DELETE records on the timeline which edges were not notified, and the operator sees which edges are cut off', async () => {
  const [heard, missed] = [await plane.connect(newName()), await plane.connect(newName())];
  for (const { id } of await listEdges(plane.pool)) await deleteEdge(plane.pool, id); // edges of earlier tests
  const api = await startApiProcess(plane.databaseUrl);
  await startAgent({ settings: { EDGE_ID: 'edge-west' } });
  await until(isTrusted);
  const call = async (method: string, id: string) => {
    const headers = { authorization: `Bearer ${plane.tenant.test.key}` };
    const response = await fetch(`http://127.0.0.1:${api.port}/v1/connections/${id}`, { method, headers });
    return (await response.json()) as { timeline: { kind: string; reason: string }[] };
  };
  const reportedStatusOf = async (id: string) =>
    (await call('GET', id)).timeline.filter(({ kind }) => kind === 'edge_cut_off').map(({ reason }) => reason);

  await call('DELETE', heard);
  const before = await listEdges(plane.pool);
  await cutOff();
  await until(async () => (await listEdges(plane.pool)).every(({ is_trusted }) => !is_trusted));
  await call('DELETE', missed);
  await call('DELETE', missed);
  expect(before.at(-1)).toMatchObject({ name: 'edge-west', is_trusted: true });
  expect(await reportedStatusOf(heard)).toEqual([]);
  expect(await reportedStatusOf(missed)).toEqual([expect.stringMatching(/edge-west \(last heard of at .+\) until /)]);

  const { id = '' } = (await listEdges(plane.pool)).find(({ name }) => name === 'edge-west') ?? {};
  const cli = async (...args: string[]) =>
    JSON.parse((await runCli(args, { DATABASE_URL: plane.databaseUrl })).out) as unknown;
  expect(await cli('edges', '--json')).toContainEqual(expect.objectContaining({ id, is_trusted: false }));
  expect(await cli('edge', 'forget', '--id', id, '--json')).toEqual({ id, forgotten: true });
  expect((await listEdges(plane.pool)).map((edge) => edge.id)).not.toContain(id);
  await api.stop();
});
