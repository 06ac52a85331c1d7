import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { makeCertificate } from '../support/servers/pebble.ts';
import { startPowerDns, type PowerDns } from '../support/servers/powerdns.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ZONE = 'origins.test';
const [FIRST, SECOND, GOES, MANY, MOVES] = ['first', 'second', 'goes', 'many', 'moves'].map((label) => `${label}.${ZONE}`) as [string, string, string, string, string]; // prettier-ignore
const WRONG = `wrong.${ZONE}`;

let dns: PowerDns;
let lab: EdgeWithAgent;
let origin: Server;
let port: number;
/** Server name (SNI) of each TLS connection that the origin accepted. */
let connections: string[] = [];

beforeAll(async () => {
  const folder = await tempFolder();
  const certificates = [FIRST, SECOND, GOES, MANY, MOVES].map((name) => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    makeCertificate(key, cert, `DNS:${name}`);
    return { name, key: readFileSync(key), cert: readFileSync(cert) };
  });
  const trust = join(folder, 'trust.pem');
  await writeFile(trust, Buffer.concat(certificates.map(({ cert }) => cert)));
  const contexts = new Map(certificates.map(({ name, key, cert }) => [name, createSecureContext({ key, cert })]));

  const [address = ''] = loopbackAddresses(1);
  dns = await startPowerDns(address, await freeDnsPort([address]));
  await dns.zone(ZONE, [`ns.${ZONE}`]);
  for (const name of [FIRST, SECOND, GOES, WRONG, MOVES]) await dns.set(ZONE, name, 'A', '127.0.0.1');
  lab = await startEdgeWithAgent({
    originTls: `tls_trust_pool file "${trust}"`,
    nameServer: `${dns.address}:${dns.port}`,
  });

  // An unknown server name gets the first certificate, so WRONG is shown another origin's certificate.
  const contextOf = (name: string) => contexts.get(name) ?? contexts.get(FIRST);
  origin = createServer({ SNICallback: (name, done) => done(null, contextOf(name)) }, (request, response) => {
    const { servername } = request.socket as TLSSocket;
    if (servername === GOES || servername === MANY) response.setHeader('connection', 'close');
    response.end(JSON.stringify({ sni: servername, host: request.headers.host }));
  });
  origin.on('secureConnection', (socket: TLSSocket) => connections.push(String(socket.servername)));
  port = await freePort();
  await once(origin.listen(port, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  origin.closeAllConnections();
  origin.close();
  await lab.stop();
  await dns.stop();
});
beforeEach(() => {
  connections = [];
});

/** Returns a live hostname of a new tenant whose origin has this name. */
const hostnameFor = async (originName: string): Promise<string> => {
  const tenant = await createTenant(lab.control.pool, originName);
  await lab.control.setOrigin(`https://${originName}:${port}`, tenant);
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  await lab.control.connect(name, 'live', tenant);
  return name;
};

test('two origins on one address have their connections pooled and never share one', async () => {
  const [one, other] = [await hostnameFor(FIRST), await hostnameFor(SECOND)];
  for (let i = 0; i < 5; i++) {
    const own = { sni: FIRST, host: `${FIRST}:${port}` };
    expect(JSON.parse((await lab.visit(one)).body)).toEqual(own);
    expect(JSON.parse((await lab.visit(other)).body)).toEqual({ sni: SECOND, host: `${SECOND}:${port}` });
  }
  expect(connections.toSorted()).toEqual([FIRST, SECOND]);
});

test("an origin that shows another origin's certificate is refused, also while a connection to the other one is pooled", async () => {
  const [good, bad] = [await hostnameFor(FIRST), await hostnameFor(WRONG)];
  expect((await lab.visit(good)).status).toBe(200);
  for (let i = 0; i < 3; i++) expect((await lab.visit(bad)).status).toBe(502);
  expect((await lab.visit(good)).status).toBe(200);
});

test('an origin with several addresses is reached as long as one of them answers', async () => {
  await dns.set(ZONE, MANY, 'A', '127.0.0.1', '127.0.0.77', '127.0.0.78');
  const name = await hostnameFor(MANY);
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await lab.visit(name)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('an origin whose DNS changes after the check is still reached at the checked address', async () => {
  const strangers: unknown[] = [];
  const trap = createTcpServer((socket) => strangers.push(socket.destroy()));
  await once(trap.listen(port, '127.0.0.79'), 'listening');
  const name = await hostnameFor(MOVES);
  expect((await lab.visit(name)).status).toBe(200);
  await dns.set(ZONE, MOVES, 'A', '127.0.0.79');
  for (let i = 0; i < 3; i++) expect((await lab.visit(name)).status).toBe(200);
  expect(strangers).toEqual([]);
  trap.close();
});

test('no request fails if the agent disappears after it named an origin and before it returned the addresses', async () => {
  const name = await hostnameFor(GOES);
  for (const method of ['GET', 'POST']) {
    // Answers like the agent and stops after it has named an origin; nothing answers the address lookup.
    const vanishing = createHttpServer((request, response) => {
      void fetch(`http://127.0.0.1:${lab.agent.port}${request.url}`).then(({ status, headers }) => {
        response.writeHead(status, { ...Object.fromEntries(headers), 'content-length': 0, connection: 'close' }).end();
        if (request.url?.startsWith('/internal/route')) vanishing.close();
      });
    });
    await once(vanishing.listen(0, '127.0.0.1'), 'listening');
    const { port: agentPort } = vanishing.address() as AddressInfo;
    const edge = await lab.anotherCaddy({
      address: `127.0.0.1:${agentPort}`,
      resolver: `127.0.0.1:${await freePort()}`,
    });
    try {
      const visit = await lab.visit(name, { method, port: edge.httpsPort });
      expect([visit.status, visit.headers['strict-transport-security']]).toEqual([200, 'max-age=86400']);
      expect(vanishing.listening).toBe(false);
    } finally {
      vanishing.close();
      await edge.stop();
    }
  }
});

test('no request fails while the agent is killed or frozen', async () => {
  const name = await hostnameFor(GOES);
  await lab.visit(name);
  const statuses: number[] = [];
  let isOver = false;
  const visitors = ['GET', 'POST'].map(async (method) => {
    while (!isOver) statuses.push((await lab.visit(name, { method }).catch(() => ({ status: 0 }))).status);
  });
  await lab.agent.stop('SIGKILL');
  await lab.startAgent();
  await lab.untilTrusted();
  process.kill(lab.agent.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  process.kill(lab.agent.pid, 'SIGCONT');
  isOver = true;
  await Promise.all(visitors);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(20);
});
