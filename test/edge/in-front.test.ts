import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../src/embedded/ports.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { codeBlock } from '../support/code-blocks.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { startHaproxy } from './haproxy.ts';
import { visitByHttp3 } from '../support/servers/http3.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Proxies and protocols between a visitor and the edge. */

const TEXT = 'a sentence that is repeated many times. '.repeat(200);
const ANSWERS: Record<string, Record<string, string>> = {
  '/text': { 'content-type': 'text/html; charset=utf-8' },
  '/weak': { 'content-type': 'text/html', etag: 'W/"1"' },
  '/strong': { 'content-type': 'text/html', etag: '"1"' },
  '/ranges': { 'content-type': 'text/html', 'accept-ranges': 'bytes' },
  '/events': { 'content-type': 'text/event-stream' },
  '/image': { 'content-type': 'image/png' },
  '/json': { 'content-type': 'application/json' },
  '/json-weak': { 'content-type': 'application/json', etag: 'W/"1"' },
  '/json-strong': { 'content-type': 'application/json', etag: '"1"' },
};

/** Answers as a server of static files does (RFC 9110 sections 13 and 14). */
function serveFile({ headers }: IncomingMessage, response: ServerResponse): void {
  const tag = '"file-1"';
  const usual = { 'content-type': 'text/css', etag: tag, 'accept-ranges': 'bytes' };
  const { range, 'if-range': ifRange = tag, 'if-none-match': known } = headers;
  if (known === tag) response.writeHead(304, { etag: tag }).end();
  else if (range === 'bytes=0-9' && ifRange === tag)
    response.writeHead(206, { ...usual, 'content-range': `bytes 0-9/${TEXT.length}` }).end(TEXT.slice(0, 10));
  else response.writeHead(200, usual).end(TEXT);
}

let lab: EdgeWithAgent;
let origin: Server;

beforeAll(async () => {
  const optionsDir = await tempFolder();
  await mkdir(join(optionsDir, 'servers'));
  const { code } = codeBlock('docs/edge.md', 'listener_wrappers {');
  await writeFile(join(optionsDir, 'servers', 'proxy.caddyfile'), code.replaceAll('10.0.0.0/8', '127.0.0.1/32'));
  lab = await startEdgeWithAgent({ optionsDir });
  origin = createServer((request: IncomingMessage, response: ServerResponse) => {
    const headers = ANSWERS[request.url ?? ''];
    if (request.url === '/file') serveFile(request, response);
    else if (headers !== undefined) response.writeHead(200, headers).end(TEXT);
    else response.setHeader('alt-svc', 'h3=":9"').end(JSON.stringify(request.headers));
  });
  await once(origin.listen(await freePort(), '127.0.0.1'), 'listening');
  await lab.control.setOrigin(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`);
});
afterAll(async () => {
  origin.closeAllConnections();
  origin.close();
  await lab.stop();
});

const connected = async (): Promise<{ name: string; id: string }> => {
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  return { name, id: await lab.control.connect(name) };
};
const archive = async (id: string): Promise<void> => {
  await lab.control.setState(id, 'archived');
  await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
};

test('behind HAProxy the origin gets the visitor’s address, only HAProxy is trusted, and other hosts are refused', async () => {
  const haproxy = await startHaproxy(lab.caddy.httpsPort);
  const [{ name }, other] = [await connected(), await connected()];
  const visitor = { port: haproxy.port, localAddress: '127.0.0.5' };
  const through = await lab.visit(name, visitor);
  expect(JSON.parse(through.body)).toMatchObject({ 'x-forwarded-for': '127.0.0.5' });
  const past = await lab.visit(name, { localAddress: '127.0.0.6' });
  expect(JSON.parse(past.body)).toMatchObject({ 'x-forwarded-for': '127.0.0.6' });
  expect((await lab.visit(name, { ...visitor, host: other.name })).status).toBe(421);
  await haproxy.stop();
});

test('an HTTP load balancer is trusted about the visitor’s address only if it is configured as trusted', async () => {
  const { name } = await connected();
  const haproxy = await startHaproxy(lab.caddy.httpsPort, { speaksHttpFor: name });
  const forwardedFor = async (port: number, localAddress: string, headers = {}): Promise<unknown> => {
    const sent = httpRequest({ port, localAddress, headers: { host: name, ...headers } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return (JSON.parse(await text(response)) as Record<string, unknown>)['x-forwarded-for'];
  };
  expect(await forwardedFor(haproxy.port, '127.0.0.7')).toBe('127.0.0.7');
  expect(await forwardedFor(haproxy.port, '127.0.0.7', { 'x-forwarded-for': '192.0.2.1' })).toBe('127.0.0.7');
  await haproxy.stop();
  const claiming = { localAddress: '127.0.0.8', headers: { 'x-forwarded-for': '192.0.2.1' } };
  expect(JSON.parse((await lab.visit(name, claiming)).body)).toMatchObject({ 'x-forwarded-for': '127.0.0.8' });
});

test('HTTP/3 reaches the origin, is refused for another host, and ends when the hostname is archived', async () => {
  const [{ name, id }, other] = [await connected(), await connected()];
  const root = lab.caddy.caFile ?? '';
  const visit = (options = {}) => visitByHttp3(lab.caddy.httpsPort, root, name, options);
  const byTcp = await lab.visit(name);
  expect(byTcp.headers['alt-svc']).toMatch(new RegExp(`^h3=":${lab.caddy.httpsPort}"`));
  const answer = await visit({ path: '/text' });
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: TEXT });
  expect(answer.headers).not.toHaveProperty('server');
  expect((await visit({ host: other.name })).status).toBe(421);
  await archive(id);
  expect((await visit()).status).toBe(410);
});

test('text is compressed; event streams, images and JSON with a strong tag are not', async () => {
  const { name } = await connected();
  const encodingOf = async (path: string) =>
    (await lab.visit(name, { path, headers: { 'accept-encoding': 'zstd, gzip' } })).headers['content-encoding'];
  const encodings = Object.fromEntries(
    await Promise.all(Object.keys(ANSWERS).map(async (path) => [path, await encodingOf(path)] as const)),
  );
  expect(encodings).toEqual({
    '/text': 'zstd',
    '/weak': 'zstd',
    '/strong': 'zstd',
    '/ranges': 'zstd',
    '/events': undefined,
    '/image': undefined,
    '/json': 'zstd',
    '/json-weak': 'zstd',
    '/json-strong': undefined,
  });
});

test('a static file is compressed, revalidated by the tag of its compressed form, and served in ranges', async () => {
  const { name } = await connected();
  const get = (headers: Record<string, string>) => lab.visit(name, { path: '/file', headers });
  const compressed = await get({ 'accept-encoding': 'gzip' });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(compressed.headers).not.toHaveProperty('accept-ranges');
  const tag = compressed.headers.etag!;
  expect(tag).not.toBe('"file-1"');
  expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(304);

  const plain = await get({});
  expect([plain.headers.etag, plain.headers['accept-ranges'], plain.body]).toEqual(['"file-1"', 'bytes', TEXT]);
  const part = await get({ range: 'bytes=0-9', 'if-range': '"file-1"' });
  expect([part.status, part.headers['content-range'], part.body]).toEqual([206, `bytes 0-9/${TEXT.length}`, TEXT.slice(0, 10)]); // prettier-ignore
  // A part of the plain file must not be added to the compressed one.
  const foreign = await get({ 'accept-encoding': 'gzip', range: 'bytes=0-9', 'if-range': tag });
  expect([foreign.status, foreign.headers['content-encoding']]).toEqual([200, 'gzip']);
});

test('HTTP/2 offers no websockets, which an archive could not close', async () => {
  const { name } = await connected();
  await lab.visit(name);
  const session: ClientHttp2Session = connectHttp2(`https://${name}:${lab.caddy.httpsPort}`, {
    host: '127.0.0.1',
    servername: name,
    rejectUnauthorized: false,
  });
  await once(session, 'remoteSettings');
  expect(session.remoteSettings.enableConnectProtocol).toBe(false);
  session.destroy();
});
