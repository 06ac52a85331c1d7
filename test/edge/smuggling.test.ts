import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeLab, type EdgeLab } from '../support/fixtures/edge-lab.ts';
import { startH2cOrigin } from '../support/servers/h2c-origin.ts';

/** A visitor cannot smuggle another protocol, a forged address or a broken body past the edge. */
let lab: EdgeLab;
let echo: EchoOrigin;
let name: string;
beforeAll(async () => {
  [lab, echo] = await Promise.all([startEdgeLab(), startEchoOrigin('origin')]);
  await lab.control.setOrigin(echo.url);
  name = await lab.name();
  await lab.control.connect(name);
  await lab.visit(name);
});
afterAll(async () => {
  await echo.stop();
  await lab.stop();
});

/** Sends bytes over a connection and returns all that comes back until the peer closes it or sends `enough`. */
async function exchange(socket: Duplex, request: string, enough: RegExp): Promise<string> {
  let answer = '';
  socket.on('error', () => undefined);
  const done = new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1');
      if (enough.test(answer)) resolve();
    });
  });
  socket.write(request, 'latin1');
  await done;
  socket.destroy();
  return answer;
}

const overEdge = async (): Promise<Duplex> => {
  const socket = connectTls({
    host: '127.0.0.1',
    port: lab.caddy.httpsPort,
    servername: name,
    ca: lab.pebble.root,
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  return socket;
};

const upgrade = (headers: readonly string[]) =>
  ['GET / HTTP/1.1', `Host: ${name}`, ...headers, 'X-Marker: smuggled', '', ''].join('\r\n');
const H2C = ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];

describe('an origin that accepts h2c', () => {
  let origin: Awaited<ReturnType<typeof startH2cOrigin>>;
  beforeAll(async () => {
    origin = await startH2cOrigin();
    await lab.control.setOrigin(origin.url);
  });
  afterAll(async () => {
    await lab.control.setOrigin(echo.url);
    await origin.stop();
  });

  test('upgrades for a client that reaches it directly, so the edge must not pass the upgrade on', async () => {
    const direct = connectTcp(origin.port, '127.0.0.1');
    const answer = await exchange(direct, upgrade(['Connection: Upgrade, HTTP2-Settings', ...H2C]), /\r\n\r\n/);

    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  });

  test.each([
    ['as RFC 7540 writes it', ['Connection: Upgrade, HTTP2-Settings', ...H2C]],
    ['with settings that Connection does not name', ['Connection: Upgrade', ...H2C]],
    ['in other letters', ['connection: uPGRADE', 'upgrade: H2C', H2C[1]!]],
    ['beside a websocket', ['Connection: Upgrade', 'Upgrade: h2c, websocket', H2C[1]!]],
    ['before a websocket, in a header of its own', ['Connection: Upgrade', ...H2C, 'Upgrade: websocket']],
    ['after a websocket, in a header of its own', ['Connection: Upgrade', 'Upgrade: websocket', ...H2C]],
    ['to TLS', ['Connection: Upgrade', 'Upgrade: TLS/1.2']],
  ])('gets an ordinary request if a visitor asks for an upgrade %s', async (_, headers) => {
    const answer = await exchange(await overEdge(), upgrade(headers), /smuggled/);

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"version": "1.1"');
    expect(answer.toLowerCase()).not.toMatch(/"(upgrade|http2-settings)":/);
  });
});

test('a websocket still reaches its origin', async () => {
  const answer = await exchange(
    await overEdge(),
    upgrade(['Connection: keep-alive, Upgrade', 'Upgrade: WebSocket']),
    /\r\n\r\n/,
  );

  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
});

test.each([
  'True-Client-IP',
  'X-Client-IP',
  'Client-IP',
  'X-Cluster-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'Fastly-Client-IP',
  'X-Envoy-External-Address',
  'X-Original-URL',
  'X-Original-Host',
  'X-Rewrite-URL',
  'X-Real-IP',
  'Forwarded',
  'Proxy',
  'X-Forwarded-Prefix',
  'X-Forwarded-Port',
  'HTTP2-Settings', // prettier-ignore
])('a visitor’s own %s does not reach the origin', async (header) => {
  const { body } = await lab.visit(name, { headers: { [header]: 'forged', 'x-kept': 'kept' } });

  const { headers } = JSON.parse(body) as { headers: Record<string, string> };
  expect(headers['x-kept']).toBe('kept');
  expect(JSON.stringify(headers)).not.toContain('forged');
});

test.each([
  ['a length that is no number', 'zz\r\nhello\r\n'],
  ['more bytes than its length', '2\r\nhello\r\n0\r\n\r\n'],
  ['a length beyond all lengths', 'ffffffffffffffffff\r\nhello\r\n'],
])('a chunked body with %s gets 400', async (_, body) => {
  const request = `POST / HTTP/1.1\r\nHost: ${name}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
  const answer = await exchange(await overEdge(), request, /\r\n\r\n/);

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});
