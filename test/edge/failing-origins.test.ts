import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readFileSync } from 'node:fs';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { startPowerDns, type PowerDns } from '../support/servers/powerdns.ts';
import { until } from '../support/until.ts';

const ZONE = 'failing.test';
const LIMIT = 8;
/** Addresses of the origin: only the second has a working server. */
const [BAD, GOOD] = ['127.0.0.71', '127.0.0.72'] as const;

let dns: PowerDns;
let lab: EdgeWithAgent;
let good: Server;
let port: number;
/** Methods and bodies of the requests that the good server got. */
let got: string[] = [];

beforeAll(async () => {
  const [address = ''] = loopbackAddresses(1);
  dns = await startPowerDns(address, await freeDnsPort([address]));
  await dns.zone(ZONE, [`ns.${ZONE}`]);
  await dns.set(ZONE, `two.${ZONE}`, 'A', BAD, GOOD);
  lab = await startEdgeWithAgent({
    nameServer: `${dns.address}:${dns.port}`,
    settings: { EDGE_ORIGIN_REQUESTS: String(LIMIT) },
  });
  good = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push(`${request.method} ${body}`);
      response.end('good');
    });
  });
  port = await freePort();
  await once(good.listen(port, GOOD), 'listening');
});
afterAll(async () => {
  good.closeAllConnections();
  good.close();
  await lab.stop();
  await dns.stop();
});
beforeEach(() => {
  got = [];
});

interface Site {
  name: string;
  tenant: NewTenant;
}

async function siteAt(originUrl: string): Promise<Site> {
  const tenant = await createTenant(lab.control.pool, 'failing');
  await lab.control.setOrigin(originUrl, tenant);
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  await lab.control.connect(name, 'live', tenant);
  return { name, tenant };
}

async function metric(name: string, { tenant }: Site): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${lab.agent.port}/metrics`)).text();
  const id = tenant.test.application_id;
  return Number(new RegExp(`^${name}\\{application="${id}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Listens at the bad address: each connection is passed to `take` and counted. */
async function badServer(
  take: (socket: Socket) => void,
): Promise<{ count: () => number; server: TcpServer; stop(): void }> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    count++;
    sockets.add(socket.on('error', () => undefined));
    take(socket);
  });
  await once(server.listen(port, BAD), 'listening');
  return {
    count: () => count,
    server,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Begins a visitor's request on a connection of its own. */
const visitTo = (site: Site, more: RequestOptions = {}) =>
  httpsRequest({
    host: '127.0.0.1',
    port: lab.caddy.httpsPort,
    servername: site.name,
    ca: readFileSync(lab.caddy.caFile ?? '', 'utf8'),
    agent: false,
    headers: { host: site.name },
    ...more,
  });

const post = async (site: Site, body: string): Promise<number> => {
  const request = visitTo(site, { method: 'POST' });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
};

test('a request whose connection was refused is repeated at the next address, a POST too, because nothing was sent', async () => {
  const site = await siteAt(`http://two.${ZONE}:${port}`);
  for (let i = 0; i < 40; i++) expect((await lab.visit(site.name)).status).toBe(200);
  expect(await metric('edge_origin_retries_total', site)).toBeGreaterThan(0);
  expect(await metric('edge_origin_retries_total', site)).toBeLessThan(8);
  const other = await siteAt(`http://two.${ZONE}:${port}`);
  got = [];
  for (let i = 0; i < 10; i++) expect(await post(other, `${i}`)).toBe(200);
  expect(got).toEqual(Array.from({ length: 10 }, (_, i) => `POST ${i}`));
});

test('an address that closes connections is not tried first for some seconds, and is tried again later', async () => {
  const bad = await badServer((socket) => socket.destroy());
  try {
    const site = await siteAt(`http://two.${ZONE}:${port}`);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push((await lab.visit(site.name)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(got.length).toBe(40);
    // Without the memory, every second request would try it.
    expect(bad.count()).toBeGreaterThan(0);
    expect(bad.count()).toBeLessThan(8);
    expect(await metric('edge_origin_dead_total', site)).toBe(bad.count());
    const before = bad.count();
    await until(async () => {
      expect((await lab.visit(site.name)).status).toBe(200);
      return bad.count() > before;
    });
  } finally {
    bad.stop();
  }
});

test('a single address that refuses connections is counted as dead once for some seconds', async () => {
  const site = await siteAt(`http://127.0.0.1:${await freePort()}`);
  for (let i = 0; i < 3; i++) expect((await lab.visit(site.name)).status).toBe(502);
  expect(await metric('edge_origin_dead_total', site)).toBe(1);
  expect(await metric('edge_origin_retries_total', site)).toBe(0);
});

test('a POST of which something was sent is never repeated', async () => {
  const received: string[] = [];
  const bad = await badServer((socket) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes('order')) return;
      received.push(text);
      socket.destroy();
    });
  });
  try {
    const site = await siteAt(`http://two.${ZONE}:${port}`);
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push(await post(site, `order ${i}`));
    const orders = [...received, ...got].flatMap((text) => /order \d+/.exec(text) ?? []);
    expect(orders.toSorted()).toEqual(Array.from({ length: 30 }, (_, i) => `order ${i}`).toSorted());
    expect(statuses.filter((status) => status === 502)).toHaveLength(bad.count());
    expect(bad.count()).toBeGreaterThan(0);
    expect(await metric('edge_origin_dead_total', site)).toBe(bad.count());
    expect(await metric('edge_origin_retries_total', site)).toBe(0);
  } finally {
    bad.stop();
  }
});

describe('an origin that accepts requests and never answers', () => {
  let hanging: TcpServer;
  let upgrades: Duplex[] = [];
  const sockets = new Set<Socket>();
  let hangingPort: number;
  beforeAll(async () => {
    hanging = createTcpServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', (chunk: Buffer) => {
        if (/upgrade: websocket/i.test(chunk.toString()))
          socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      });
    });
    hangingPort = await freePort();
    await once(hanging.listen(hangingPort, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const socket of [...sockets, ...upgrades]) socket.destroy();
    hanging.close();
  });

  test('is refused quickly over the limit, and does not affect another tenant', async () => {
    const [slow, healthy] = [await siteAt(`http://127.0.0.1:${hangingPort}`), await siteAt(`http://${GOOD}:${port}`)];
    const leave = new AbortController();
    const waiting = Array.from({ length: LIMIT }, () => visitUntil(slow, leave.signal));
    await until(() => sockets.size >= LIMIT);
    const refused = await Promise.all(Array.from({ length: 30 }, () => lab.visit(slow.name)));
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      expect(body).toContain('This site is very busy');
    }
    expect(await metric('edge_origin_refused_total', slow)).toBe(30);
    const others = await Promise.all(Array.from({ length: LIMIT }, () => lab.visit(healthy.name)));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    expect(await metric('edge_origin_refused_total', healthy)).toBe(0);
    // The places are free again as soon as the visitors have left.
    leave.abort();
    await Promise.all(waiting);
    const before = sockets.size;
    const again = new AbortController();
    await until(async () => {
      void visitUntil(slow, again.signal);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return sockets.size > before;
    });
    again.abort();
  });

  test('counts websockets until they end', async () => {
    const site = await siteAt(`http://127.0.0.1:${hangingPort}`);
    upgrades = await Promise.all(Array.from({ length: LIMIT }, () => upgrade(site)));
    expect((await lab.visit(site.name)).status).toBe(503);
    upgrades[0]?.destroy();
    await until(async () => {
      const another = await upgrade(site).catch(() => undefined);
      if (another !== undefined) upgrades.push(another);
      return another !== undefined;
    });
    expect((await lab.visit(site.name)).status).toBe(503);
  });

  const visitUntil = async (site: Site, signal: AbortSignal): Promise<void> => {
    const request = visitTo(site, { signal });
    request.end();
    await once(request, 'response').then(
      ([response]) => (response as IncomingMessage).resume(),
      () => undefined,
    );
  };

  const upgrade = async (site: Site): Promise<Duplex> => {
    const request = visitTo(site, { headers: { host: site.name, connection: 'Upgrade', upgrade: 'websocket' } });
    request.end();
    return new Promise((resolve, reject) => {
      request.on('upgrade', (_response, socket) => resolve(socket.on('error', () => undefined)));
      request.on('response', ({ statusCode }) => reject(new Error(`The edge answered ${statusCode}.`)));
      request.on('error', reject);
    });
  };
});
