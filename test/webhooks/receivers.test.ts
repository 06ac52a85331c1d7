import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { webhookSender, type Sent } from '../../src/webhooks/send.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startLyingServer } from '../support/doubles/lying-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Receivers that misbehave, each on its own server, and a sender that gives up after a second. */
const sender = webhookSender({ allowed: EVERY_NETWORK, timeoutMs: 1_000 });
const strict = webhookSender({ allowed: [], timeoutMs: 1_000 });
const servers: Server[] = [];
afterAll(async () => {
  await Promise.all([sender.close(), strict.close()]);
  for (const server of servers) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const post = (url: string, by = sender, environment: 'test' | 'live' = 'test'): Promise<Sent> =>
  by.send({ url, environment, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') });

const at = async (listener: RequestListener): Promise<Sent> =>
  post(`http://127.0.0.1:${await listening(createHttp(listener))}/`);

test.each([
  [204, 'delivered', null],
  [301, 'http_3xx', null],
  [404, 'http_4xx', null],
  [410, 'http_4xx', null],
  [429, 'http_4xx', 120_000],
  [500, 'http_5xx', null],
])('an answer of %i is %s; redirects are not followed', async (status, outcome, retryAfterMs) => {
  let asked = 0;
  const sent = await at((_request, response) => {
    asked++;
    response.writeHead(status, { location: '/elsewhere', ...(status === 429 ? { 'retry-after': '120' } : {}) }).end();
  });
  expect(sent).toMatchObject({ outcome, statusCode: status, retryAfterMs });
  expect(asked).toBe(1);
});

test('an attempt ends if the receiver never answers or drips its headers', async () => {
  expect(await at(() => undefined)).toMatchObject({ outcome: 'timeout', statusCode: null });
  const drips = createTcp((socket) => {
    const drip = setInterval(() => socket.write('H'), 50);
    socket.on('error', () => undefined).on('close', () => clearInterval(drip));
  });
  const sent = await post(`http://127.0.0.1:${await listening(drips)}/`);
  expect(['timeout', 'connection_failed']).toContain(sent.outcome);
});

test('a 2xx counts even if its body never ends, is 10 MB, or breaks off; 8 kB of it are kept', async () => {
  let closed = 0;
  const endless = await at((_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => {
      closed += 1;
      clearInterval(drip);
    });
  });
  expect(endless).toMatchObject({ outcome: 'delivered', statusCode: 200 });
  const large = await at((_request, response) => response.end(Buffer.alloc(10 * 2 ** 20, 'y')));
  expect(large).toMatchObject({ outcome: 'delivered', response: 'y'.repeat(8_192) });
  const broken = await at((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('begun');
    setTimeout(() => response.destroy(), 50);
  });
  expect(broken).toMatchObject({ outcome: 'delivered', response: 'begun' });
  expect(closed).toBe(1);
});

test('a gzip bomb is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20));
  const sent = await at((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
  expect(sent).toMatchObject({ outcome: 'delivered', response: '(gzip, not decoded)' });
});

test('text that Postgres cannot store is stored in a form that it can', async () => {
  const sent = await at((_request, response) => response.end(Buffer.from([0, 255, 65])));
  expect(sent.response).toBe('\u{fffd}\u{fffd}A');
});

test('a connection that is refused, reset, or speaks no HTTP is distinguished from an answer', async () => {
  expect(await post('http://127.0.0.1:1/')).toMatchObject({ outcome: 'connection_refused' });
  const resets = createTcp((socket) => void socket.once('data', () => socket.resetAndDestroy()));
  expect(await post(`http://127.0.0.1:${await listening(resets)}/`)).toMatchObject({ outcome: 'connection_failed' });
  const babbles = createTcp((socket) => void socket.end('not HTTP at all\r\n\r\n'));
  expect(await post(`http://127.0.0.1:${await listening(babbles)}/`)).toMatchObject({ outcome: 'connection_failed' });
});

test('an untrusted certificate ends the attempt, and http is not used in live', async () => {
  const folder = await tempFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], { stdio: 'ignore' }); // prettier-ignore
  const tls = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => response.end());
  const port = await listening(tls);

  expect(await post(`https://127.0.0.1:${port}/`, sender, 'live')).toMatchObject({ outcome: 'tls_error' });
  const trusting = webhookSender({ allowed: EVERY_NETWORK, tls: { ca: readFileSync(cert, 'utf8') } });
  expect(await post(`https://127.0.0.1:${port}/`, trusting, 'live')).toMatchObject({ outcome: 'delivered' });
  await trusting.close();
  expect(await post(`http://127.0.0.1:${port}/`, sender, 'live')).toMatchObject({ outcome: 'blocked_address' });
});

test.each([
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '2130706433',
  '0x7f.1',
  '169.254.169.254',
  '[64:ff9b::a00:1]',
  '10.0.0.1',
  'localhost',
  '[::1]',
])('no byte is sent to %s', async (host) => {
  let bytes = 0;
  const port = await listening(createTcp((socket) => void socket.on('data', ({ length }) => (bytes += length))));
  expect(await post(`http://${host}:${port}/`, strict)).toMatchObject({ outcome: 'blocked_address' });
  expect(bytes).toBe(0);
});

test('a hostname that later resolves to an internal address is refused at the attempt that would dial it', async () => {
  const folder = await tempFolder();
  const socketPath = join(folder, 'receiver.sock');
  let asked = 0;
  const inside = createHttp((_request, response) => {
    asked++;
    response.setHeader('connection', 'close').end();
  });
  servers.push(inside);
  await once(inside.listen(socketPath), 'listening');
  const dns = await startLyingServer('127.0.0.1', await freePort());
  const leadsTo = (data: string | null) =>
    dns.answerWith(({ type, name }) => ({
      answers: data !== null && type === 'A' ? [{ type: 'A', name, ttl: 0, data }] : [],
      rcode: data === null ? 3 : 0,
    }));
  leadsTo('93.184.215.14');
  // The checked address is public, but this machine's own socket is dialled instead, so no packet leaves the machine.
  const rebound = webhookSender({
    allowed: [],
    nameServers: [`${dns.address}:${dns.port}`],
    tls: { socketPath },
  });

  expect(await post('http://hooks.rebinding-site.com/', rebound)).toMatchObject({ outcome: 'delivered' });
  leadsTo('127.0.0.1');
  const refused = {
    ...(await post('http://hooks.rebinding-site.com/', rebound)),
    durationMs: expect.any(Number) as number,
  };
  expect(refused).toMatchObject({ outcome: 'blocked_address', statusCode: null });
  leadsTo(null);
  // A missing receiver and an internal one get the same outcome, so the attempt log cannot be used to scan our network.
  expect(await post('http://hooks.rebinding-site.com/', rebound)).toEqual(refused);
  expect(asked).toBe(1);
  await Promise.all([rebound.close(), dns.stop()]);
});
