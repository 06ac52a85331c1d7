import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { readPosition, readSince } from '../../src/db/edge/feed.ts';
import { none, sql } from '../../src/db/pool.ts';
import { newEdgeToken, registerToken, revokeEdge } from '../../src/db/edge/registered-edges.ts';
import { untilEveryCopyKnows, untilArchiveIsKnown } from '../../src/edge/barrier.ts';
import { FeedClient } from '../../src/edge/feed/client.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { runCli } from '../support/fixtures/cli.ts';
import type { ControlPlane } from '../support/fixtures/control-plane.ts';
import {
  addEdge,
  newEdgeKey,
  startFedPlane,
  startFeed,
  type Feed,
  type FedEdge,
} from '../support/fixtures/feed-lab.ts';
import { startBalancer } from '../support/proxies/balancer.ts';
import { startFeedMangler } from '../support/proxies/feed-mangler.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { withSeed } from '../support/tries.ts';
import { until } from '../support/until.ts';

let plane: ControlPlane;
let feed: Feed;
let proxy: FreezingProxy;
let edge: FedEdge;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ plane, feed, stop } = await startFedPlane());
});
afterAll(() => stop());
beforeEach(async () => {
  proxy = await startFreezingProxy(feed.url);
  edge = await addEdge(plane.pool);
});
afterEach(async () => {
  await edge.stop();
  await proxy.stop();
});

const newName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
const archive = async (id: string): Promise<void> => {
  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
};
const trusted = async (url = proxy.url): Promise<void> => {
  await edge.start(url);
  await until(() => edge.isTrusted());
};
/** Returns numbers below one that depend on the seed only (a linear congruential generator). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
const untrusted = () => until(async () => !(await edge.isTrusted()));

test('an edge with one address and one token serves what the database has, and a DELETE returns after it knows', async () => {
  const [early, late] = [newName(), newName()];
  const first = await plane.connect(early);
  await trusted();
  expect([await edge.ask(early), await edge.route(early)]).toEqual([204, 204]);
  await plane.connect(late);
  expect(await edge.route(late)).toBe(204);
  await archive(first);
  expect([await edge.ask(early), await edge.route(early)]).toEqual([403, 410]);
});

test('an edge that is cut off serves what it knew, also after a restart, and learns what it missed when it is back', async () => {
  const [kept, gone, late] = [newName(), newName(), newName()];
  await plane.connect(kept);
  const id = await plane.connect(gone);
  await trusted();
  proxy.cut();
  await untrusted();
  expect([await edge.route(kept), await edge.route(gone)]).toEqual([204, 204]);
  await plane.setState(id, 'archived');
  expect(await untilArchiveIsKnown(plane.pool, id)).toMatch(`${edge.name} (last heard of at`);
  await plane.connect(late);
  await edge.agent.stop('SIGKILL');
  await edge.start(proxy.url);
  expect([await edge.route(kept), await edge.route(gone), await edge.ask(late)]).toEqual([204, 204, 503]);
  await proxy.heal();
  await until(() => edge.isTrusted());
  expect([await edge.route(kept), await edge.route(gone), await edge.route(late)]).toEqual([204, 410, 204]);
  expect((await untilArchiveIsKnown(plane.pool, id)) ?? '').not.toContain(edge.name);
});

test('a feed that is half open ends the trust before a DELETE returns, and late bytes do not bring it back', async () => {
  const hostname = newName();
  const id = await plane.connect(hostname);
  await trusted();
  proxy.freeze();
  await archive(id);
  expect(await edge.isTrusted()).toBe(false);
  proxy.thaw();
  await until(() => edge.isTrusted());
  expect(await edge.route(hostname)).toBe(410);
});

test('a feed whose answers take longer than the lease is never trusted, and one that is only slow is', async () => {
  const hostname = newName();
  await plane.connect(hostname);
  proxy.delay(600);
  await trusted();
  expect(await edge.ask(hostname)).toBe(204);
  proxy.delay(2_500);
  await untrusted();
  for (let i = 0; i < 20; i++) {
    expect(await edge.isTrusted()).toBe(false);
    await pause(100);
  }
});

describe.each(['duplicate', 'swap'] as const)('a connection on which lines are changed (%s)', (mangling) => {
  test('never makes a trusted edge serve an archived hostname, and after it the table is right', async () => {
    await withSeed(async (seed) => {
      const mangler = await startFeedMangler(feed.url, randomOf(seed));
      try {
        const names = Array.from({ length: 12 }, newName);
        const ids = await Promise.all(names.map((name) => plane.connect(name)));
        await trusted(mangler.url);
        mangler.mangling = mangling;
        const wrong: string[] = [];
        const isGone = (index: number) => index % 3 !== 0;
        for (const [index, id] of ids.entries()) {
          // Changes of others before and after it, so that lines have neighbours.
          await Promise.all([
            isGone(index) ? archive(id) : plane.setDisplayName(`Shop ${index}`),
            plane.connect(newName()),
          ]);
          const isCurrent = await edge.isTrusted();
          const status = await edge.route(names[index]!);
          if (isCurrent && isGone(index) && status !== 410) wrong.push(`${names[index]} ${status}`);
        }
        expect(wrong).toEqual([]);
        expect(mangler.counts.mangled).toBeGreaterThan(3);
        mangler.mangling = 'none';
        await until(() => edge.isTrusted());
        const answers = await Promise.all(names.map((name) => edge.route(name)));
        expect(answers).toEqual(names.map((_, index) => (isGone(index) ? 410 : 204)));
        expect(mangler.counts.streams).toBeGreaterThan(1); // the agent noticed, and resumed
      } finally {
        await edge.stop();
        await mangler.stop();
      }
    });
  }, 120_000);
});

test('behind a balancer that gives each connection to another process, messages reach the process that feeds the edge', async () => {
  const other = await startFeed(plane.databaseUrl);
  const balancer = await startBalancer([feed.port, other.port]);
  try {
    const names = Array.from({ length: 10 }, newName);
    const ids: string[] = [];
    for (const name of names) ids.push(await plane.connect(name));
    await trusted(`http://127.0.0.1:${balancer.port}`);
    for (const [i, name] of names.entries()) {
      await archive(ids[i]!);
      expect(await edge.route(name)).toBe(410);
    }
    expect(await edge.isTrusted()).toBe(true);
    expect(balancer.counts.every((count) => count > 0)).toBe(true);
  } finally {
    await balancer.stop();
    await other.stop();
  }
});

test('processes that are replaced one after the other leave the edge trusted, and no change is lost', async () => {
  const port = await freePort();
  let first = await startFeed(plane.databaseUrl, port);
  const hostname = newName();
  await plane.connect(hostname);
  await trusted(first.url);
  const answers: number[] = [];
  const stop = new AbortController();
  const asking = (async () => {
    while (!stop.signal.aborted) {
      answers.push(await edge.route(hostname));
      await pause(5);
    }
  })();
  for (let round = 0; round < 3; round++) {
    await first.stop();
    first = await startFeed(plane.databaseUrl, port);
    const { hub } = first;
    await until(() => hub.size === 1);
    const late = newName();
    await plane.connect(late);
    await until(() => edge.isTrusted());
    expect(await edge.route(late)).toBe(204);
  }
  stop.abort();
  await asking;
  await first.stop();
  expect(answers.filter((status) => status !== 204)).toEqual([]);
});

test('a token that is revoked while its edge is connected ends the feed, and the next one needs a new token', async () => {
  await trusted();
  await revokeEdge(plane.pool, edge.name);
  await untrusted();
  await until(() => edge.agent.output().includes('The token is unknown, revoked'));
  const token = newEdgeToken();
  await registerToken(plane.pool, edge.name, token, { isNew: false });
  await edge.agent.stop();
  await edge.start(proxy.url, { EDGE_TOKEN: token });
  await until(() => edge.isTrusted());
});

test('a stolen token with another key pair gets nothing, and the edge that owns it stays trusted', async () => {
  await trusted();
  const key = newEdgeKey();
  const thief = new FeedClient({ url: feed.url, token: edge.token, key, caFile: undefined });
  const query = `id=${crypto.randomUUID()}&stale_ms=0`;
  await expect(thief.open(`/edge/feed?${query}`, AbortSignal.timeout(5_000))).rejects.toThrow('401');
  await expect(thief.post('/edge/acks', { stream: crypto.randomUUID(), ends: true })).rejects.toThrow('401');
  await expect(thief.get(`/edge/certificates/${crypto.randomUUID()}`)).rejects.toThrow('401');
  thief.stop();
  expect(await edge.isTrusted()).toBe(true);
});

test('every route of the listener needs an edge, and there is nothing else', async () => {
  const status = async (path: string, headers = {}) => (await fetch(`${feed.url}${path}`, { headers })).status;
  const paths = ['/', '/edge/feed', '/edge/acks', '/healthz', '/metrics', '/v1/connections', '/internal/ask'];
  for (const path of paths) {
    expect(await status(path)).toBe(401);
    expect(await status(path, { authorization: `Bearer ${edge.token}` })).toBe(401);
    expect(await status(path, { authorization: `DPoP ${edge.token}`, dpop: 'a.b.c' })).toBe(401);
  }
  const key = newEdgeKey();
  const client = new FeedClient({ url: feed.url, token: edge.token, key, caFile: undefined });
  for (const path of ['/healthz', '/metrics', '/v1/connections', '/edge', '/edge/feed/x'])
    await expect(client.get(path)).rejects.toThrow('404');
  await expect(client.get('/edge/feed?id=1')).rejects.toThrow('400');
  await expect(client.post('/edge/acks', { stream: 'x' })).rejects.toThrow('400');
  client.stop();
});

test('operators see version, hostnames, certificates and contact of an edge, and when a draining one can be stopped', async () => {
  const hostname = newName();
  await plane.connect(hostname);
  await trusted();
  const list = async () => (await runCli(['edges'], { DATABASE_URL: plane.databaseUrl })).out;
  await until(async () => /is up to date\. Version [\d.]+, \d+ hostnames, 0 certificates/.test(await list()));
  expect(await list()).not.toMatch(`${edge.name}.*Warning`);

  expect((await runCli(['edges', 'drain', edge.name], { DATABASE_URL: plane.databaseUrl })).code).toBe(0);
  const health = async () => (await fetch(`http://127.0.0.1:${edge.agent.port}/healthz`)).status;
  await until(async () => (await health()) === 503);
  expect(await edge.route(hostname)).toBe(204); // it keeps serving
  expect(await list()).toMatch(/It is draining: the last request was \d+ s ago\./);
  await plane.pool.query(sql.type(none)`
    UPDATE registered_edges SET draining_at = draining_at - interval '1 hour' WHERE name = ${edge.name}
  `);
  await until(async () => {
    // The edge reports its own value every five seconds.
    await plane.pool.query(sql.type(none)`UPDATE edges SET idle_ms = 61000 WHERE name = ${edge.name}`);
    return (await list()).includes('It is draining, and can be stopped: no request for 61 s.');
  });

  await runCli(['edges', 'drain', edge.name, '--cancel'], { DATABASE_URL: plane.databaseUrl });
  await until(async () => (await health()) === 200);
});

test('changes of many transactions are read once each, in the order of transactions and in pages', async () => {
  const pool = new pg.Pool({ connectionString: plane.databaseUrl, max: 1 });
  try {
    const { after } = await readPosition(pool);
    const prefix = crypto.randomUUID().slice(0, 8);
    // Each row in a transaction of its own, beyond a page, so that ids of transactions gain a digit or more.
    for (let i = 0; i < 12; i++)
      await pool.query(
        `INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
         SELECT $1 || n || '.pages.test', nextval('admission_sequence'), 'archived', gen_random_uuid(), gen_random_uuid()
         FROM generate_series(1, 1000) n`,
        [`${prefix}-${i}-`],
      );
    const seen: string[] = [];
    await readSince(pool, after, async (changes) => {
      for (const change of changes) if ('hostname' in change) seen.push(change.hostname);
      await Promise.resolve();
    });
    const ours = seen.filter((name) => name.startsWith(prefix));
    expect([ours.length, new Set(ours).size]).toEqual([12_000, 12_000]);
    expect(ours.map((name) => Number(name.split('-')[1]))).toEqual(Array.from({ length: 12_000 }, (_, i) => Math.floor(i / 1_000))); // prettier-ignore
  } finally {
    await pool.query(`DELETE FROM admissions WHERE hostname LIKE '%.pages.test'`);
    await pool.end();
  }
});
