import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { saveRoute } from '../../src/db/connection/own-routes.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { OwnRoute } from '../../src/domain/edge/own-route.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeLab, type EdgeLab } from '../support/fixtures/edge-lab.ts';
import { makeCertificate } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

let lab: EdgeLab;
let shared: EchoOrigin;
let own: EchoOrigin;
let secure: EchoOrigin;
beforeAll(async () => {
  const folder = await tempFolder();
  const [key, cert] = [join(folder, 'origin.key'), join(folder, 'origin.pem')];
  makeCertificate(key, cert, 'DNS:localhost');
  lab = await startEdgeLab({ originTls: `tls_trust_pool file "${cert}"` });
  const tls = { key: readFileSync(key), cert: readFileSync(cert) };
  [shared, own, secure] = await Promise.all([
    startEchoOrigin('the application’s'),
    startEchoOrigin('its own'),
    startEchoOrigin('its own with TLS', tls),
  ]);
  await lab.control.setOrigin(shared.url);
});
afterAll(async () => {
  await lab.stop();
  await Promise.all([shared, own, secure].map((origin) => origin.stop()));
});

interface Connected {
  id: string;
  name: string;
}
async function connected(route: OwnRoute | null = null): Promise<Connected> {
  const name = await lab.name();
  const id = await lab.control.connect(name);
  await change({ id, name }, route);
  return { id, name };
}

/** Changes the route as PATCH does: when it returns, every edge knows the change. */
async function change({ id }: Connected, route: OwnRoute | null): Promise<void> {
  await saveRoute(lab.control.pool, id, route);
  await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
}

interface Echo {
  label: string;
  url: string;
  headers: Record<string, string>;
  sni: string | null;
}
const echoIn = (body: string): Echo => JSON.parse(body) as Echo;
const overHttp = async (host: string, path = '/'): Promise<IncomingMessage> => {
  const request = httpGet({ host: '127.0.0.1', port: lab.caddy.httpPort, path, headers: { host }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
};

/** The origin gets exactly these bytes. An origin URL has no path of its own: the API refuses one. */
const PATHS = ['/', '/a/b?c=%2F', '/a%2Fb%20c/%C3%BC?', '/?q=a+b&q=%26', '//a//b/', '/a/../b;c=1', '/%2e%2e/x?x=%00'];
/** Headers by which a visitor could pretend to come from elsewhere. */
const FORGED = { 'x-forwarded-host': 'forged.test', 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.1' };

describe('every topology of a tenant', () => {
  const origins: [string, () => OwnRoute, () => { label: string; host: string }][] = [
    ['the application’s origin', () => ({}), () => ({ label: 'the application’s', host: `127.0.0.1:${shared.port}` })],
    ['an http origin', () => ({ origin_url: own.url }), () => ({ label: 'its own', host: `127.0.0.1:${own.port}` })],
    [
      'an https origin',
      () => ({ origin_url: `https://localhost:${secure.port}` }),
      () => ({ label: 'its own with TLS', host: `localhost:${secure.port}` }),
    ],
  ];
  const cases = origins.flatMap((origin) =>
    (['origin', 'visitor'] as const).map((host) => [origin[0], host, origin[1], origin[2]] as const),
  );

  test.each(cases)(
    '%s, by path, query and websocket (Host of the %s)',
    async (_origin, hostHeader, route, expected) => {
      const site = await connected({ ...route(), ...(hostHeader === 'visitor' ? { host_header: 'visitor' } : {}) });
      const { label, host } = expected();
      const sees = {
        label,
        sni: label === 'its own with TLS' ? 'localhost' : null,
        headers: expect.objectContaining({
          host: hostHeader === 'visitor' ? site.name : host,
          'x-forwarded-host': site.name,
          'x-forwarded-proto': 'https',
          'x-forwarded-for': '127.0.0.1',
        }) as object,
      };
      for (const path of PATHS) {
        const visit = await lab.visit(site.name, { path, headers: FORGED });
        expect([visit.status, echoIn(visit.body)]).toMatchObject([200, { ...sees, url: path }]);
      }

      const path = '/socket%2F?a=%20b';
      const upgrade = httpsRequest({
        host: '127.0.0.1',
        port: lab.caddy.httpsPort,
        path,
        servername: site.name,
        ca: lab.pebble.root,
        headers: { host: site.name, connection: 'Upgrade', upgrade: 'websocket', ...FORGED },
      }).end();
      const [response, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Duplex];
      const seen = Buffer.from(String(response.headers['x-seen']), 'base64').toString();
      expect(echoIn(seen)).toMatchObject({ ...sees, url: path });
      socket.on('error', () => undefined).write('hello');
      let echoed = '';
      socket.on('data', (chunk) => (echoed += String(chunk)));
      await until(() => echoed === 'hello');
      socket.destroy();
    },
  );
});

test('metadata reaches the origin in one header, and never from a visitor', async () => {
  const metadata = { plan: 'gold', name: 'Zoë' };
  const [described, plain] = [await connected({ metadata }), await connected()];
  const forged = { headers: { 'x-svc-metadata': 'forged', 'x-svc-edge-signature': 'forged' } };
  const header = echoIn((await lab.visit(described.name, forged)).body).headers['x-svc-metadata'];
  expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual(metadata);
  expect(echoIn((await lab.visit(plain.name, forged)).body).headers).not.toHaveProperty('x-svc-metadata');
  expect(echoIn((await lab.visit(plain.name, forged)).body).headers).not.toHaveProperty('x-svc-edge-signature');
});

describe('a redirect', () => {
  test.each([301, 302, 307, 308] as const)('answers %d with path and query, over http in one hop', async (status) => {
    const site = await connected({ redirect: { to: 'https://www.example.com/base/', status, keep_path: true } });
    const visit = await lab.visit(site.name, { path: '/a/b?c=d' });
    expect([visit.status, visit.headers.location]).toEqual([status, 'https://www.example.com/base/a/b?c=d']);
    const isPermanent = status === 301 || status === 308;
    expect(visit.headers['cache-control']).toBe(isPermanent ? 'max-age=3600' : 'no-cache');
    const plain = await overHttp(site.name, '/a');
    expect([plain.statusCode, plain.headers.location]).toEqual([status, 'https://www.example.com/base/a']);
  });

  test('can leave the path out, and needs no origin', async () => {
    const site = await connected({ redirect: { to: 'https://www.example.com/new', status: 308, keep_path: false } });
    const visit = await lab.visit(site.name, { path: '/a?b=c' });
    expect([visit.status, visit.headers.location]).toEqual([308, 'https://www.example.com/new']);
  });
});

test('maintenance shows the tenant’s words instead of the site, and is not cached', async () => {
  const site = await connected({ maintenance: 'Back at <b>14:00</b> UTC.' });
  const visit = await lab.visit(site.name);
  expect([visit.status, visit.headers['retry-after'], visit.headers['cache-control']]).toEqual([
    503,
    '300',
    'no-store',
  ]);
  expect(visit.body).toContain('Back at &lt;b&gt;14:00&lt;/b&gt; UTC.');
  await change(site, null);
  expect((await lab.visit(site.name)).status).toBe(200);
});

test('HSTS of its own and a lasting redirect of a companion begin after a day of being live', async () => {
  const site = await connected({ hsts_max_age: 31_536_000 });
  const apex = await connected();
  const www = `www.${apex.name}`;
  await lab.dns.powerdns.set(apex.name.split('.').slice(1).join('.'), www, 'A', '127.0.0.1');
  const companion = await lab.control.connectCompanion(www, apex.id);
  const seen = async () => {
    const [own, redirect] = [await lab.visit(site.name), await lab.visit(www)];
    return [own.headers['strict-transport-security'], redirect.status, redirect.headers['cache-control']];
  };
  expect(await seen()).toEqual(['max-age=86400', 307, 'no-cache']);

  for (const id of [site.id, companion]) {
    // A change of the state brings the time to the edges.
    await lab.control.setState(id, 'issuing_cert');
    await lab.control.pool.query(sql.type(none)`
      UPDATE connections SET live_at = clock_timestamp() - interval '25 hours' WHERE id = ${id}
    `);
    await lab.control.setState(id, 'live');
    await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
  }
  expect(await seen()).toEqual(['max-age=31536000', 308, 'max-age=3600']);
});

const OR = ' or ';

test('a change under load: no answer of the old route begins after the change returned', async () => {
  const site = await connected({ origin_url: own.url });
  await lab.visit(site.name);
  let [isOver, wrong, asked] = [false, 0, 0];
  let current = 'its own';
  // A slow request can span two changes, after which the expectation reads as before.
  let phase = 0;
  const visitor = async () => {
    while (!isOver) {
      const expected = current;
      const begunIn = phase;
      const { label } = echoIn((await lab.visit(site.name)).body);
      asked++;
      // A request that began before the change returned may see either.
      if (phase === begunIn && !expected.split(OR).includes(label)) wrong++;
    }
  };
  const visitors = Array.from({ length: 8 }, visitor);
  for (let round = 0; round < 10; round++) {
    const isOwn = round % 2 === 0;
    const next = isOwn ? 'the application’s' : 'its own';
    const before = current;
    current = `${before}${OR}${next}`;
    phase++;
    await change(site, isOwn ? null : { origin_url: own.url });
    current = next;
    phase++;
    await lab.visit(site.name);
  }
  isOver = true;
  await Promise.all(visitors);
  expect(asked).toBeGreaterThan(20);
  expect(wrong).toBe(0);
});
