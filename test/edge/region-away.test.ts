import { untilArchiveIsKnown, untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { saveRoute } from '../../src/db/connection/own-routes.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import type { ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFedCaddy, type FedCaddy } from '../support/fixtures/fed-caddy.ts';
import { startFedPlane } from '../support/fixtures/feed-lab.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { until } from '../support/until.ts';

/** Two regions, each with Caddy, agent and second answerer. The link of the second one can be cut. */
let plane: ControlPlane;
let [near, far] = [] as unknown as [FedCaddy, FedCaddy];
let link: FreezingProxy;
let origins: [EchoOrigin, EchoOrigin];
let stopPlane: () => Promise<void>;
beforeAll(async () => {
  const fed = await startFedPlane();
  ({ plane, stop: stopPlane } = fed);
  origins = [await startEchoOrigin('first'), await startEchoOrigin('second')];
  await plane.setOrigin(origins[0].url);
  link = await startFreezingProxy(fed.feed.url);
  near = await startFedCaddy(plane.pool, fed.feed.url);
  far = await startFedCaddy(plane.pool, link.url);
});
afterAll(async () => {
  await Promise.all([near.stop(), far.stop()]);
  await link.stop();
  await stopPlane();
  for (const origin of origins) await origin.stop();
});

/** Returns the statuses or the origins that visitors of both regions see. */
async function seen(hostname: string): Promise<(string | number)[]> {
  const visits = await Promise.all([near, far].map((region) => region.visit(hostname)));
  return visits.map(({ status, body }) => (status === 200 ? (JSON.parse(body) as { label: string }).label : status));
}

test('with one of two regions away, DELETE and PATCH return and hold in the other; the first serves what it knew until it is back', async () => {
  const [gone, moved] = ['gone', 'moved'].map(
    (label) => `${label}-${crypto.randomUUID().slice(0, 8)}.example-shop.com`,
  );
  const ids = [await plane.connect(gone!), await plane.connect(moved!)] as const;
  expect([await seen(gone!), await seen(moved!)]).toEqual([
    ['first', 'first'],
    ['first', 'first'],
  ]);

  link.cut();
  await plane.setState(ids[0], 'archived');
  // DELETE waits for the far lease to end, and records which edge has not received the change.
  expect(await untilArchiveIsKnown(plane.pool, ids[0])).toContain(far.edge.name);
  await saveRoute(plane.pool, ids[1], { origin_url: origins[1].url });
  await untilEveryCopyKnows(plane.pool, { connectionId: ids[1] });
  expect([await near.isTrusted(), await far.isTrusted()]).toEqual([true, false]);
  // EDGE_STALE_FOR is 24 hours: the far region serves what it knew.
  expect([await seen(gone!), await seen(moved!)]).toEqual([
    [410, 'first'],
    ['second', 'first'],
  ]);

  await link.heal();
  await until(() => far.isTrusted());
  expect([await seen(gone!), await seen(moved!)]).toEqual([
    [410, 410],
    ['second', 'second'],
  ]);
  expect((await untilArchiveIsKnown(plane.pool, ids[0])) ?? '').not.toContain(far.edge.name);
}, 120_000);

test('a region that must not serve stale hostnames stops when DELETE returns, and begins again when it is back', async () => {
  const strictLink = await startFreezingProxy(link.url);
  const strict = await startFedCaddy(plane.pool, strictLink.url, { agentSettings: { EDGE_STALE_FOR: '0' } });
  try {
    const hostname = `strict-${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
    const id = await plane.connect(hostname);
    expect((await strict.visit(hostname)).status).toBe(200);
    strictLink.cut();
    await plane.setState(id, 'archived');
    await untilArchiveIsKnown(plane.pool, id);
    expect((await strict.visit(hostname)).status).toBe(503);
    await strictLink.heal();
    await until(() => strict.isTrusted());
    expect((await strict.visit(hostname)).status).toBe(410);
  } finally {
    await strict.stop();
    await strictLink.stop();
  }
}, 120_000);
