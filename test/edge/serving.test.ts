import { readFileSync } from 'node:fs';
import { createServer, get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeLab, type EdgeLab } from '../support/fixtures/edge-lab.ts';
import { makeCertificate } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';

let lab: EdgeLab;
let origin: EchoOrigin;
let tls: { key: Buffer; cert: Buffer };

beforeAll(async () => {
  const folder = await tempFolder();
  const [key, cert] = [join(folder, 'origin.key'), join(folder, 'origin.pem')];
  makeCertificate(key, cert, 'DNS:localhost');
  tls = { key: readFileSync(key), cert: readFileSync(cert) };
  lab = await startEdgeLab({ originTls: `tls_trust_pool file "${cert}"` });
  origin = await startEchoOrigin('first');
  await lab.control.setOrigin(origin.url);
});
afterAll(async () => {
  await origin.stop();
  await lab.stop();
});

const connected = async (): Promise<string> => {
  const name = await lab.name();
  await lab.control.connect(name);
  return name;
};

const overHttp = async (host: string, path = '/'): Promise<IncomingMessage> => {
  const request = httpGet({ host: '127.0.0.1', port: lab.caddy.httpPort, path, headers: { host }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
};

describe('a companion at the edge', () => {
  test('has its own certificate and redirects to the main hostname over https once that is live', async () => {
    const apex = await lab.name();
    const www = `www.${apex}`;
    await lab.dns.powerdns.set(apex.split('.').slice(1).join('.'), www, 'A', '127.0.0.1');
    const main = await lab.control.connect(apex, 'issuing_cert');
    await lab.control.connectCompanion(www, main);

    const early = await lab.visit(www);
    await lab.control.setState(main, 'live');
    await untilEveryCopyKnows(lab.control.pool, { connectionId: main });
    const late = await lab.visit(www, { path: '/a/b?c=d' });
    const plain = await overHttp(www, '/a');

    expect(early.status).toBe(503);
    expect([late.status, late.headers.location]).toEqual([307, `https://${apex}:${lab.caddy.httpsPort}/a/b?c=d`]);
    expect([plain.statusCode, plain.headers.location]).toEqual([307, `https://${apex}:${lab.caddy.httpsPort}/a`]);
    expect(lab.pebble.orders).toContain(www);
  });
});

describe('a hostname at the edge', () => {
  test('that is not verified gets no certificate, and the CA is never asked', async () => {
    const name = await lab.name();
    await expect(lab.visit(name)).rejects.toThrow(/alert|SSL/i);
    await lab.control.connect(`pending.${name}`, 'pending_ownership');
    await expect(lab.visit(`pending.${name}`)).rejects.toThrow(/alert|SSL/i);
    expect(lab.pebble.orders).not.toContain(name);
    expect(lab.pebble.orders).not.toContain(`pending.${name}`);
  });

  test('that is live has a certificate at the first handshake, and its requests reach the origin unchanged', async () => {
    const name = await connected();
    const visit = await lab.visit(name, { path: '/shop?x=1', headers: { cookie: 'a=b', authorization: 'Bearer z' } });
    expect(visit.status).toBe(200);
    const seen = JSON.parse(visit.body) as { url: string; headers: Record<string, string> };
    expect(seen.url).toBe('/shop?x=1');
    expect(seen.headers).toMatchObject({
      host: `127.0.0.1:${origin.port}`,
      'x-forwarded-host': name,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      cookie: 'a=b',
      authorization: 'Bearer z',
    });
    expect(Object.keys(seen.headers).filter((header) => header.startsWith('x-origin'))).toEqual([]);
    expect(visit.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=86400',
    });
    expect(visit.headers).not.toHaveProperty('server');
    expect(lab.pebble.orders.filter((ordered) => ordered === name)).toHaveLength(1);
  });

  test('shows its pages in the language of the visitor, and in English if that header is strange', async () => {
    const name = await lab.name();
    await lab.control.connect(name, 'issuing_cert');
    const titleFor = async (language: string) => {
      const { body } = await lab.visit(name, { headers: { 'accept-language': language } });
      return /<h1>(.*)<\/h1>/.exec(body)?.[1];
    };

    expect(await titleFor('de-AT,de;q=0.9,en;q=0.8')).toBe('Diese Seite wird eingerichtet');
    expect(await titleFor('ar')).toBe('هذا الموقع قيد الإعداد');
    for (const strange of ['', 'de&host=x', `de,${'x'.repeat(3_000)}`])
      expect(await titleFor(strange)).toBe('This site is being set up');
    const wrong = await lab.visit(await connected(), { host: name, headers: { 'accept-language': 'fr' } });
    expect([wrong.status, wrong.body]).toEqual([421, expect.stringContaining('<html lang="fr" dir="ltr">')]);
    const served = await lab.visit(await connected(), { headers: { 'accept-language': 'ja' } });
    expect([served.status, served.body]).toEqual([200, expect.stringContaining('"accept-language":"ja"')]);
  });

  test('that is verified but not live has a certificate and shows that it is being set up', async () => {
    const name = await lab.name();
    await lab.control.connect(name, 'issuing_cert');
    expect(await lab.visit(name)).toMatchObject({
      status: 503,
      body: expect.stringContaining('being set up') as string,
    });
  });

  test('that is archived is refused immediately with 410, even though its certificate is still in memory', async () => {
    const name = await lab.name();
    const id = await lab.control.connect(name);
    expect((await lab.visit(name)).status).toBe(200);
    await lab.control.setState(id, 'archived');
    await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
    expect((await lab.visit(name)).status).toBe(410);
    expect((await overHttp(name)).statusCode).toBe(410);
  });

  test('is refused if Host and SNI differ', async () => {
    const [mine, yours] = [await connected(), await connected()];
    expect((await lab.visit(mine, { host: yours })).status).toBe(421);
  });

  test('uses a new origin as soon as every copy knows it', async () => {
    const other = await startEchoOrigin('second');
    const name = await connected();
    expect((await lab.visit(name)).body).toContain('first');
    await lab.control.setOrigin(other.url);
    await untilEveryCopyKnows(lab.control.pool, { applicationId: lab.control.tenant.test.application_id });
    expect((await lab.visit(name)).body).toContain('second');
    await lab.control.setOrigin(origin.url);
    await untilEveryCopyKnows(lab.control.pool, { applicationId: lab.control.tenant.test.application_id });
    await other.stop();
  });
});

describe('a client', () => {
  test('cannot choose where its request goes, and cannot impersonate the edge', async () => {
    const trap = await startEchoOrigin('trap');
    const headers = {
      'x-origin-dial': `127.0.0.1:${trap.port}`,
      'x-origin-host': 'evil.example',
      'x-origin-scheme': 'https',
      'x-svc-edge': 'me',
      'x-real-ip': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-port': '8443',
      'x-forwarded-prefix': '/admin',
      connection: 'X-Origin-Dial, X-Svc-Edge, close',
    };
    const visit = await lab.visit(await connected(), { headers });
    const seen = JSON.parse(visit.body) as { label: string; headers: Record<string, string> };
    expect(seen.label).toBe('first');
    expect(seen.headers).toMatchObject({ 'x-svc-edge': 'edge', 'x-forwarded-for': '127.0.0.1' });
    expect(seen.headers).not.toHaveProperty('x-real-ip');
    for (const name of ['forwarded', 'x-forwarded-port', 'x-forwarded-prefix'])
      expect(seen.headers).not.toHaveProperty(name);
    await trap.stop();
  });

  test('that signs its requests like our webhooks reaches the origin with its signature', async () => {
    const signed = { 'x-svc-timestamp': '1700000000', 'x-svc-signature': 'sha256=00', 'x-svc-event-id': 'e' };
    const visit = await lab.visit(await connected(), { headers: signed });
    expect((JSON.parse(visit.body) as { headers: object }).headers).toMatchObject(signed);
  });

  test('may send headers and URLs as long as the origin accepts', async () => {
    const name = await connected();
    const long = 'a'.repeat(18_000);
    expect((await lab.visit(name, { headers: { 'x-long': long } })).status).toBe(200);
    expect((await lab.visit(name, { path: `/${long}` })).status).toBe(200);
  });

  test('without TLS is redirected to https if the hostname is connected, and nowhere else', async () => {
    const name = await connected();
    const port = lab.caddy.httpsPort;
    const known = await overHttp(name, '/a?b=c');
    expect([known.statusCode, known.headers.location]).toEqual([307, `https://${name}:${port}/a?b=c`]);
    const companion = await overHttp(`www.${name}`, '/a');
    expect([companion.statusCode, companion.headers.location]).toEqual([307, `https://${name}:${port}/a`]);
    expect((await overHttp('nobody.example-shop.com')).statusCode).toBe(404);
    expect((await overHttp('127.0.0.1')).statusCode).toBe(400);
    await expect(lab.visit(`www.${name}`)).rejects.toThrow(/alert|SSL/i);
  });

  const openStream = async (name: string): Promise<Duplex> => {
    const request = httpsRequest({
      host: '127.0.0.1',
      port: lab.caddy.httpsPort,
      servername: name,
      ca: lab.pebble.root,
      headers: { host: name, connection: 'Upgrade', upgrade: 'websocket' },
    }).end();
    const [, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Duplex];
    socket.on('error', () => undefined);
    return socket;
  };
  const echoOf = async (socket: Duplex, text: string): Promise<string> => {
    socket.write(text);
    const [echo] = (await once(socket, 'data')) as [Buffer];
    return echo.toString();
  };

  test('can open a websocket to the origin', async () => {
    const socket = await openStream(await connected());
    expect(await echoOf(socket, 'hello')).toBe('hello');
    socket.destroy();
  });

  test('loses its websockets when its hostname is archived or its origin changes, and other hostnames keep theirs', async () => {
    const [leaving, staying] = [await lab.name(), await connected()];
    const id = await lab.control.connect(leaving);
    const [ends, stays] = [await openStream(leaving), await openStream(staying)];
    expect(await echoOf(ends, 'before')).toBe('before');
    const ended = once(ends, 'close');

    await lab.control.setState(id, 'archived');
    await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
    await ended;
    expect(await echoOf(stays, 'still here')).toBe('still here');

    const moved = once(stays, 'close');
    await lab.control.setOrigin(`${origin.url}/elsewhere`);
    await moved;
    await lab.control.setOrigin(origin.url);
  });
});

describe('origins', () => {
  test("with TLS must present their own name: one tenant's pooled connection never serves another's hostname", async () => {
    const secure = await startEchoOrigin('secure', tls);
    const [good, bad] = [await createTenant(lab.control.pool, 'good'), await createTenant(lab.control.pool, 'bad')];
    await lab.control.setOrigin(`https://localhost:${secure.port}`, good);
    await lab.control.setOrigin(`https://127.0.0.1:${secure.port}`, bad);
    const [trusted, foreign] = [await lab.name(), await lab.name()];
    await lab.control.connect(trusted, 'live', good);
    await lab.control.connect(foreign, 'live', bad);
    expect((await lab.visit(trusted)).status).toBe(200);
    expect((await lab.visit(foreign)).status).toBe(502);
    expect((await lab.visit(trusted)).status).toBe(200);
    await secure.stop();
  });

  test('that are dead answer 502 to their own visitors and affect no other hostname', async () => {
    const unlucky = await createTenant(lab.control.pool, 'unlucky');
    await lab.control.setOrigin('http://127.0.0.1:1', unlucky);
    const [dead, alive] = [await lab.name(), await connected()];
    await lab.control.connect(dead, 'live', unlucky);
    for (let i = 0; i < 5; i++) expect((await lab.visit(dead)).status).toBe(502);
    expect((await lab.visit(alive)).status).toBe(200);
  });

  test('that point back at the edge are asked at most twice', async () => {
    const circular = await createTenant(lab.control.pool, 'circular');
    const name = await lab.name();
    let passes = 0;
    const back = createServer((request, response) => {
      passes++;
      void lab
        .visit(name, { headers: { ...(request.headers as Record<string, string>), host: name } })
        .then(({ status, body }) => response.writeHead(status).end(body));
    });
    await once(back.listen(await freePort(), '127.0.0.1'), 'listening');
    await lab.control.setOrigin(`http://127.0.0.1:${(back.address() as AddressInfo).port}`, circular);
    await lab.control.connect(name, 'live', circular);
    expect((await lab.visit(name)).status).toBe(508);
    expect(passes).toBe(2);
    back.closeAllConnections();
    back.close();
  });

  test('that send one of the headers that the edge adds keep theirs and get the other', async () => {
    const strict = createServer((_, response) => response.setHeader('strict-transport-security', 'max-age=1').end());
    await once(strict.listen(await freePort(), '127.0.0.1'), 'listening');
    const tenant = await createTenant(lab.control.pool, 'strict');
    await lab.control.setOrigin(`http://127.0.0.1:${(strict.address() as AddressInfo).port}`, tenant);
    const name = await lab.name();
    await lab.control.connect(name, 'live', tenant);
    expect((await lab.visit(name)).headers).toMatchObject({
      'strict-transport-security': 'max-age=1',
      'x-content-type-options': 'nosniff',
    });
    strict.closeAllConnections();
    strict.close();
  });

  test('that are not configured get an explanatory page', async () => {
    const silent = await createTenant(lab.control.pool, 'silent');
    const name = await lab.name();
    await lab.control.connect(name, 'live', silent);
    expect((await lab.visit(name)).status).toBe(503);
  });
});

describe('edge pages', () => {
  const elsewhere = async (originUrl: string | null, state: 'live' | 'archived' | 'issuing_cert' = 'live') => {
    const tenant = await createTenant(lab.control.pool, 'pages');
    await lab.control.setOrigin(originUrl, tenant);
    const name = await lab.name();
    const id = await lab.control.connect(name, state === 'archived' ? 'live' : state, tenant);
    if (state === 'archived') {
      await lab.visit(name);
      await lab.control.setState(id, 'archived');
      await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
    }
    return lab.visit(name);
  };

  test('share one design, reveal nothing about our software, and leave nothing in the browser', async () => {
    const mine = await connected();
    const pages = {
      settingUp: await elsewhere(null, 'issuing_cert'),
      archived: await elsewhere(null, 'archived'),
      originDown: await elsewhere('http://127.0.0.1:1'),
      wrongHost: await lab.visit(mine, { host: await connected() }),
      loop: await lab.visit(mine, { headers: { 'cdn-loop': 'svc-edge, svc-edge' } }),
    };
    const statuses = Object.fromEntries(Object.entries(pages).map(([page, { status }]) => [page, status]));
    expect(statuses).toEqual({ settingUp: 503, archived: 410, originDown: 502, wrongHost: 421, loop: 508 });
    for (const { headers, body } of Object.values(pages)) {
      expect(body).toMatch(/prefers-color-scheme: ?dark/);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
      expect(headers).not.toHaveProperty('server');
      expect(headers).not.toHaveProperty('via');
    }
    expect(pages.settingUp.body).toContain('http-equiv="refresh"');
    const { archived, ...others } = pages;
    expect(archived.headers['strict-transport-security']).toBe('max-age=0');
    for (const { headers } of Object.values(others)) expect(headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('the edge', () => {
  test('keeps visitors’ requests out of its log, also when an origin breaks off', async () => {
    const breaking = createServer((request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => request.socket.destroy());
    });
    await once(breaking.listen(await freePort(), '127.0.0.1'), 'listening');
    const tenant = await createTenant(lab.control.pool, 'breaking');
    await lab.control.setOrigin(`http://127.0.0.1:${(breaking.address() as AddressInfo).port}`, tenant);
    const name = await lab.name();
    await lab.control.connect(name, 'live', tenant);
    const secret = { path: '/reset?token=very-secret', headers: { cookie: 'session=also-secret' } };
    await expect(lab.visit(name, secret)).rejects.toThrow();
    const log = await readFile(lab.caddy.logFile, 'utf8');
    // A boolean, so that a failure does not print the whole log.
    expect(log.includes('aborting with incomplete response')).toBe(true);
    expect(/very-secret|also-secret|remote_ip|"remote"/.exec(log)).toBeNull();
    breaking.close();
  });

  test('serves metrics even though its admin API is off', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${lab.caddy.metricsPort}/metrics`)).text();
    expect(metrics).toContain('caddy_http_requests_total');
  });

  test('treats a hostname the same in upper case or with a trailing dot', async () => {
    const name = await connected();
    const ask = async (domain: string) =>
      (await fetch(`http://127.0.0.1:${lab.control.port}/internal/ask?bare=1&domain=${domain}`)).status;
    const statuses = [await ask(name.toUpperCase()), await ask(`${name}.`), await ask(`${name}..`)];
    expect(statuses).toEqual([204, 204, 400]);
  });

  test('writes a log that only its own account and group can read', async () => {
    expect((await stat(lab.caddy.logFile)).mode & 0o777).toBe(0o640);
  });

  test('without answers from the agent completes handshakes of known hostnames, but forwards nothing and admits no new ones', async () => {
    const [old, fresh] = [await connected(), await connected()];
    expect((await lab.visit(old)).status).toBe(200);
    await lab.control.fallSilent();
    await expect(lab.visit(fresh)).rejects.toThrow(/alert|SSL/i);
    expect((await lab.visit(old)).status).toBe(503);
    await lab.control.answer();
    expect((await lab.visit(old)).status).toBe(200);
    expect((await lab.visit(fresh)).status).toBe(200);
  });

  test('serves every hostname again within one handshake after a restart, without a new order', async () => {
    const names = [await connected(), await connected()];
    for (const name of names) await lab.visit(name);
    const orders = lab.pebble.orders.length;
    await lab.restartEdge();
    for (const name of names) expect((await lab.visit(name)).status).toBe(200);
    expect(lab.pebble.orders).toHaveLength(orders);
  });

  test('shares its certificates with a second edge on the same storage', async () => {
    const second = await lab.secondEdge();
    const name = await connected();
    const first = await lab.visit(name);
    const again = await lab.visit(name, { port: second.httpsPort });
    expect(again).toMatchObject({ status: 200, serial: first.serial });
    const fresh = await connected();
    expect((await lab.visit(fresh, { port: second.httpsPort })).status).toBe(200);
    expect(lab.pebble.orders.filter((ordered) => ordered === name || ordered === fresh)).toHaveLength(2);
  });

  test('survives 5,000 handshakes for random hostnames without an order, and serves a known hostname meanwhile', async () => {
    const name = await connected();
    await lab.visit(name);
    const orders = lab.pebble.orders.length;
    const flood = Array.from({ length: 5_000 }, (_, i) => `x${i}.${crypto.randomUUID().slice(0, 8)}.example-flood.com`);
    let refused = 0;
    const worker = async () => {
      for (let target = flood.pop(); target !== undefined; target = flood.pop()) if (await isRefused(target)) refused++;
    };
    const workers = Array.from({ length: 25 }, worker);
    const served = [];
    while (flood.length > 0) served.push((await lab.visit(name)).status);
    await Promise.all(workers);
    expect(refused).toBe(5_000);
    expect(new Set(served)).toEqual(new Set([200]));
    expect(lab.pebble.orders).toHaveLength(orders);
  }, 240_000);
});

async function isRefused(servername: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port: lab.caddy.httpsPort, servername, rejectUnauthorized: false });
  const answer = await Promise.race([
    once(socket, 'secureConnect').then(() => false),
    new Promise<boolean>((resolve) => socket.once('error', () => resolve(true))),
  ]);
  socket.destroy();
  return answer;
}

test('a hostname whose origin has a private address is refused where origins must be public', async () => {
  const { startControlPlane } = await import('../support/fixtures/control-plane.ts');
  const strict = await startControlPlane({ allowPrivateOrigins: false });
  await strict.setOrigin(origin.url);
  await strict.connect('shop.example-customer.com');
  const ask = httpRequest({ port: strict.port, path: '/internal/route?host=shop.example-customer.com' }).end();
  const [response] = (await once(ask, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(502);
  expect(response.headers).not.toHaveProperty('x-origin-dial');
  await strict.stop();
});
