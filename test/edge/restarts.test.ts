import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { saveCertificate } from '../../src/certificates/save.ts';
import { saveRoute } from '../../src/db/connection/own-routes.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { startTestAuthority } from '../support/certificate-authority.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import type { ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFedCaddy, type FedCaddy } from '../support/fixtures/fed-caddy.ts';
import { startFedPlane } from '../support/fixtures/feed-lab.ts';
import { startVisitors, type Visitors } from '../support/fixtures/visitors.ts';
import { startBalancer } from '../support/proxies/balancer.ts';
import { startHttp3Visitor, visitByHttp3 } from '../support/servers/http3.ts';
import { until } from '../support/until.ts';

let plane: ControlPlane;
let region: FedCaddy;
let origin: EchoOrigin;
let stopPlane: () => Promise<void>;
beforeAll(async () => {
  const fed = await startFedPlane();
  ({ plane, stop: stopPlane } = fed);
  origin = await startEchoOrigin('origin');
  await plane.setOrigin(origin.url);
  region = await startFedCaddy(plane.pool, fed.feed.url, { control: `127.0.0.1:${plane.port}` });
});
afterAll(async () => {
  await region.stop();
  await stopPlane();
  await origin.stop();
});

const newName = (): string => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;

async function liveName(): Promise<{ id: string; hostname: string }> {
  const hostname = newName();
  const id = await plane.connect(hostname);
  expect((await region.visit(hostname)).status).toBe(200);
  return { id, hostname };
}

const visitorsOf = (hostname: string, port = region.caddy.httpsPort): Visitors =>
  startVisitors({ port, root: region.root, hostname }, { each: 3, everyMs: 15 });

/** Prints the figures of a run, and expects that every handshake and every request succeeded. */
function expectNoFailure(what: string, { tallies }: Visitors): void {
  for (const [kind, { handshakes, requests, reconnects, unanswered, ...failed }] of Object.entries(tallies)) {
    const failures = `${failed.failedHandshakes.length} and ${failed.failedRequests.length} failed`;
    figure(`${what}; ${kind}: ${handshakes} handshakes, ${requests} requests, ${failures}; ${reconnects} sent again, ${unanswered} unanswered`); // prettier-ignore
  }
  for (const [kind, { failedHandshakes, failedRequests, requests }] of Object.entries(tallies)) {
    expect([kind, failedHandshakes, failedRequests]).toEqual([kind, [], []]);
    expect(requests).toBeGreaterThan(20);
  }
}

const unansweredIn = ({ tallies }: Visitors): number =>
  Object.values(tallies).reduce((sum, { unanswered }) => sum + unanswered, 0);
const requestsIn = ({ tallies }: Visitors): number =>
  Object.values(tallies).reduce((sum, { requests }) => sum + requests, 0);
const figure = (text: string): void => void process.stdout.write(`${text}\n`);

/** Waits until every kind of visitor has made this many more requests. */
async function untilVisited({ tallies }: Visitors, more: number): Promise<void> {
  const before = Object.values(tallies).map(({ requests }) => requests + more);
  await until(() => Object.values(tallies).every(({ requests }, index) => requests >= before[index]!), 60_000);
}

interface Watched {
  socket: Duplex;
  endedAt: number | undefined;
}

/** Opens websockets, and records when each one ends. */
async function openWebsockets(port: number, hostname: string, count: number): Promise<Watched[]> {
  const headers = { host: hostname, connection: 'Upgrade', upgrade: 'websocket' };
  const opened = Array.from({ length: count }, async () => {
    const upgrade = httpsRequest({ host: '127.0.0.1', port, servername: hostname, ca: region.root, headers }).end();
    const [, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Duplex];
    const watched: Watched = { socket, endedAt: undefined };
    socket.on('error', () => undefined).on('close', () => (watched.endedAt = performance.now()));
    socket.write('hello');
    await once(socket, 'data');
    return watched;
  });
  return Promise.all(opened);
}

/** Starts an origin whose answer takes until `finish` is called, with a download that has begun at the edge. */
async function startDownload(): Promise<{ finish(): Promise<string>; stop(): Promise<void> }> {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.write('first,');
    begun.resolve(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const hostname = newName();
  const id = await plane.connect(hostname);
  await saveRoute(plane.pool, id, { origin_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  const visit = region.visit(hostname);
  const response = await begun.promise;
  return {
    async finish() {
      response.end('second');
      return (await visit).body;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Replaces Caddy on its own ports, and returns when each of five websockets ended, in seconds after SIGTERM. */
async function replaceUnder(visitors: Visitors, hostname: string): Promise<number[]> {
  const former = region.caddy.pid;
  const websockets = await openWebsockets(region.caddy.httpsPort, hostname, 5);
  const download = await startDownload();
  const stopping = Promise.withResolvers<number>();
  const replaced = region.replaceCaddy({
    before() {
      stopping.resolve(performance.now());
      return Promise.resolve();
    },
  });
  const stoppedAt = await stopping.promise;
  await untilVisited(visitors, 10);
  expect(await download.finish()).toBe('first,second');
  await download.stop();
  await replaced;
  expect(region.caddy.pid).not.toBe(former);
  await until(() => websockets.every(({ endedAt }) => endedAt !== undefined));
  await untilVisited(visitors, 10);
  return websockets.map(({ endedAt }) => Math.round((endedAt! - stoppedAt) / 100) / 10);
}

test('Caddy is replaced on its own ports under load: no handshake fails, and nothing on kept connections or over HTTP/2', async () => {
  const { hostname } = await liveName();
  const visitors = visitorsOf(hostname);
  await untilVisited(visitors, 10);
  for (let round = 0; round < 3; round++)
    figure(`websockets ended ${(await replaceUnder(visitors, hostname)).join(', ')} s after SIGTERM`);
  await visitors.stop();
  expectNoFailure('same ports, 3 times', visitors);
  // Go closes a connection of HTTP/1.1 whose first request it reads after SIGTERM, and the kernel resets connections that
  // wait to be accepted by the listener that ends.
  expect(unansweredIn(visitors)).toBeLessThan(requestsIn(visitors) / 20);
}, 180_000);

test('HTTP/3 over a replacement on the same ports: connections are lost, and new ones succeed', async () => {
  const { hostname } = await liveName();
  const visitor = await startHttp3Visitor(region.caddy.httpsPort, region.caddy.caFile!, hostname);
  await region.replaceCaddy();
  const counts = await visitor.stop();
  expect(counts.requests).toBeGreaterThan(0);
  figure(`HTTP/3, kept, over a replacement on the same ports: ${JSON.stringify(counts)}`);
  expect((await visitByHttp3(region.caddy.httpsPort, region.caddy.caFile!, hostname)).status).toBe(200);
}, 120_000);

test('Caddy is replaced behind a switch for new connections under load: every request is answered', async () => {
  const { hostname } = await liveName();
  const front = await startBalancer([region.caddy.httpsPort]);
  const visitors = visitorsOf(hostname, front.port);
  await untilVisited(visitors, 10);
  for (let round = 0; round < 2; round++) {
    const websockets = await openWebsockets(front.port, hostname, 5);
    await region.replaceCaddy({
      steered: true,
      async before({ httpsPort }) {
        front.steerTo(httpsPort);
        await untilVisited(visitors, 10); // every connection at the first one has sent its first request
        expect(websockets.every(({ endedAt }) => endedAt === undefined)).toBe(true);
      },
    });
    await untilVisited(visitors, 10);
  }
  await visitors.stop();
  await front.stop();
  expectNoFailure('switched, 2 times', visitors);
  expect(unansweredIn(visitors)).toBe(0);
}, 180_000);

test('the agent is killed and started again under load, and no handshake and no request fails', async () => {
  const { hostname } = await liveName();
  const visitors = visitorsOf(hostname);
  await untilVisited(visitors, 10);
  for (let round = 0; round < 2; round++) {
    await region.restartAgent();
    await untilVisited(visitors, 10);
  }
  await visitors.stop();
  expectNoFailure('agent killed, 2 times', visitors);
  expect(unansweredIn(visitors)).toBe(0);
}, 180_000);

test('after a replacement the agent changes certificates over at the Caddy that runs', async () => {
  const { id, hostname } = await liveName();
  await region.replaceCaddy();
  expect((await region.visit(hostname)).status).toBe(200); // now it holds a certificate of its own in memory
  const issued = (await startTestAuthority()).issue([hostname], { days: 90 });
  const connection = { id, tenant_id: plane.tenant.tenant_id, hostname };
  await plane.pool.transaction((tx) =>
    saveCertificate(tx, plane.vault, connection, { source: 'uploaded', ...issued }, new Date()),
  );
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  const wanted = new X509Certificate(issued.chain).serialNumber;
  await until(async () => (await serialShown(hostname)) === wanted);
});

const serialShown = (servername: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ port: region.caddy.httpsPort, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', () => resolve(null));
  });
