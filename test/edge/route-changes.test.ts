import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import type { ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFedCaddy, type FedCaddy } from '../support/fixtures/fed-caddy.ts';
import { startFedPlane } from '../support/fixtures/feed-lab.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { until } from '../support/until.ts';

let plane: ControlPlane;
let api: TestApi;
let user: ApiUser;
let region: FedCaddy;
let link: FreezingProxy;
let origins: [EchoOrigin, EchoOrigin];
let stopPlane: () => Promise<void>;
beforeAll(async () => {
  const fed = await startFedPlane();
  ({ plane, stop: stopPlane } = fed);
  origins = [await startEchoOrigin('first'), await startEchoOrigin('second')];
  await plane.setOrigin(origins[0].url);
  api = await startTestApi({
    databaseUrl: plane.databaseUrl,
    originDial: { allowed: EVERY_NETWORK, nameServers: ['127.0.0.1:9'] },
  });
  user = new ApiUser(api.baseUrl, plane.tenant.test);
  // A region is some way off. Without the delay, an edge would know a change before the next request arrives.
  link = await startFreezingProxy(fed.feed.url);
  region = await startFedCaddy(plane.pool, link.url);
  link.delay(150);
});
afterAll(async () => {
  await region.stop();
  await link.stop();
  await api.stop();
  await stopPlane();
  for (const origin of origins) await origin.stop();
});

interface Answer {
  status: number;
  location: string | undefined;
  body: string;
}
/** A change of a connection, and whether an answer shows it. */
interface Change {
  what: string;
  patch: object;
  isShownBy(answer: Answer): boolean;
}

const echoIn = ({ body }: Answer) => JSON.parse(body) as { label: string; headers: Record<string, string> };
const shows = (check: (echo: ReturnType<typeof echoIn>) => boolean) => (answer: Answer) =>
  answer.status === 200 && check(echoIn(answer));
const metadataIn = (header: string | undefined) =>
  header === undefined ? undefined : (JSON.parse(Buffer.from(header, 'base64url').toString()) as { round: string });

/** Returns the changes of one round. Each is visible after any other. */
function changesOf(hostname: string, round: number): Change[] {
  const target = `https://www.example.com/${round}`;
  return [
    {
      what: 'origin_url',
      patch: { redirect: null, maintenance: null, origin_url: origins[1].url },
      isShownBy: shows(({ label }) => label === 'second'),
    },
    {
      what: 'host_header',
      patch: { host_header: 'visitor' },
      isShownBy: shows(({ headers }) => headers['host'] === hostname),
    },
    {
      what: 'metadata',
      patch: { metadata: { round: String(round) } },
      isShownBy: shows(({ headers }) => metadataIn(headers['x-svc-metadata'])?.round === String(round)),
    },
    {
      what: 'maintenance',
      patch: { maintenance: { message: `Round ${round}.` } },
      isShownBy: ({ status, body }) => status === 503 && body.includes(`Round ${round}.`),
    },
    {
      what: 'the end of maintenance and metadata, and the application’s origin',
      patch: { maintenance: null, metadata: null, origin_url: null, host_header: 'origin' },
      isShownBy: shows(
        ({ label, headers }) =>
          label === 'first' && headers['host'] !== hostname && headers['x-svc-metadata'] === undefined,
      ),
    },
    {
      what: 'redirect',
      patch: { redirect: { to: target, status: 307, keep_path: false } },
      isShownBy: ({ status, location }) => status === 307 && location === target,
    },
  ];
}

const [PER_SECOND, CHANGES_AT_LEAST, REQUESTS] = [200, 24, 1_500];

/** Sends requests at a pace, whether or not earlier ones were answered, over kept connections. */
async function visitAtPace(hostname: string, count: number, judge: () => (answer: Answer) => void): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const one = async (): Promise<void> => {
    const done = judge();
    const edge = { host: '127.0.0.1', port: region.caddy.httpsPort, servername: hostname, ca: region.root, agent };
    const sent = httpsRequest({ ...edge, headers: { host: hostname }, timeout: 30_000 }).end();
    sent.on('timeout', () => sent.destroy(new Error('No answer.')));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = Buffer.concat((await response.toArray()) as Buffer[]).toString();
    done({ status: response.statusCode ?? 0, location: response.headers.location, body });
  };
  const sent: Promise<void>[] = [];
  const began = performance.now();
  // By the clock and not by one timer each, because a busy machine makes timers late.
  while (sent.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - began) * PER_SECOND) / 1_000));
    while (sent.length < due) sent.push(one());
    await pause(5);
  }
  await Promise.all(sent);
  agent.destroy();
}

test('routes that change at 200 requests a second: no request that is sent after PATCH returned gets an earlier answer', async () => {
  const hostname = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  const id = await plane.connect(hostname);
  await region.visit(hostname);
  const begun: Change[] = [];
  let returned = 0;
  const stale: string[] = [];
  const counts = { asked: 0, answered: 0 };
  const progress = { isOver: false };
  const changing = (async () => {
    for (let round = 0; !progress.isOver || returned < CHANGES_AT_LEAST; round++)
      for (const change of changesOf(hostname, round)) {
        begun.push(change);
        expect([change.what, await user.call('PATCH', `/connections/${id}`, change.patch)]).toMatchObject([change.what, { status: 200 }]); // prettier-ignore
        returned = begun.length;
        await pause(50);
      }
  })();
  await until(() => returned > 0, 60_000);
  await visitAtPace(hostname, REQUESTS, () => {
    const newest = returned;
    counts.asked++;
    return (answer) => {
      counts.answered++;
      // The newest change that had returned when the request was sent, or one that began before the answer.
      const allowed = begun.slice(newest - 1);
      if (!allowed.some((change) => change.isShownBy(answer)))
        stale.push(`${allowed.map(({ what }) => what).join(' or ')}: ${JSON.stringify(answer).slice(0, 300)}`);
    };
  });
  progress.isOver = true;
  await changing;
  process.stdout.write(`${JSON.stringify({ ...counts, changes: returned, stale: stale.length })}\n`);
  expect(stale).toEqual([]);
  expect(counts).toEqual({ asked: REQUESTS, answered: REQUESTS });
  expect(returned).toBeGreaterThanOrEqual(CHANGES_AT_LEAST);
}, 180_000);
