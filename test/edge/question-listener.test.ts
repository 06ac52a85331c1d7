import { once } from 'node:events';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { BareListener } from '../../src/edge/bare-listener.ts';
import type { Reply } from '../../src/edge/question.ts';
import { listenForQuestions } from '../../src/edge/question-listener.ts';

let listener: BareListener;
beforeAll(async () => {
  listener = await listenForQuestions(
    (question, reply) => {
      if (question.url === '/none') reply.writeHead(204, { 'x-origin-dial': '127.0.0.1:1' }).end();
      else reply.writeHead(200, { 'content-type': 'text/plain' }).end(`${question.url} ${question.headers['accept-language'] ?? '-'} é`); // prettier-ignore
    },
    '127.0.0.1',
    0,
  );
});
afterAll(() => listener.stop());

/** Sends bytes as they are, and returns everything until the connection ends. */
async function raw(text: string): Promise<string> {
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  socket.write(text);
  return (await socket.toArray()).join('');
}

test('questions on one kept connection are answered in their order, by an independent client', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const [path, status, body] of [
    ['/a?b=c', 200, '/a?b=c de é'],
    ['/none', 204, ''],
    ['/d', 200, '/d de é'],
  ] as const) {
    const sent = request({ port: listener.port, path, agent, headers: { 'accept-language': 'de' } });
    expect(await answerTo(sent)).toEqual([status, body]);
  }
  agent.destroy();
});

test('pipelined questions and questions in small pieces are answered once each', async () => {
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  const both = 'GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  for (const letter of both) socket.write(letter);
  const text = (await socket.toArray()).join('');
  expect(text.match(/\/(one|two) -/g)).toEqual(['/one -', '/two -']);
});

test.each([
  ['a body', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /'],
  ['a chunked body', 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['another method', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an absolute URL', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['another protocol', 'GET / HTTP/2.0\r\n\r\n'],
  ['no request line', 'hello\r\n\r\n'],
])('a request with %s is refused, and its connection ends', async (_what, text) => {
  expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
});

test('a head without an end is cut off', async () => {
  expect(await raw(`GET /${'a'.repeat(1_100_000)}`).catch(() => '')).toBe('');
});

test('HEAD gets the headers of GET alone', async () => {
  const text = await raw('HEAD /a HTTP/1.0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: 7\r\n[^]*\r\n\r\n$/);
});

test('a stop answers what was asked before it, and then ends', async () => {
  const asked = Promise.withResolvers<Reply>();
  const other = await listenForQuestions((_question, reply) => asked.resolve(reply), '127.0.0.1', 0);
  const answered = answerTo(request({ port: other.port, path: '/slow' }));
  const reply = await asked.promise;
  const stopped = other.stop();
  reply.writeHead(200).end('late');
  expect(await answered).toEqual([200, 'late']);
  await stopped;
});

async function answerTo(sent: ClientRequest): Promise<[number | undefined, string]> {
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return [response.statusCode, String(Buffer.concat((await response.toArray()) as Buffer[]))];
}
