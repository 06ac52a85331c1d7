import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, type Listener } from '../../src/api/listener.ts';
import { until } from '../support/until.ts';

const start = (handler: RequestListener): Promise<Listener> =>
  listen(handler, { host: '127.0.0.1', port: 0, setting: 'PORT', kind: 'public' });
const soon: RequestListener = (_request, response) => void setTimeout(() => response.end('done'), 5);

interface Answer {
  status: number;
  connection: string | undefined;
}
async function get(port: number, agent: Agent): Promise<Answer> {
  const outgoing = request({ host: '127.0.0.1', port, agent, path: '/' });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode ?? 0, connection: response.headers.connection };
}

/** Sends requests over one connection until the server closes it or does not answer. */
async function busyClient(port: number): Promise<{ answers: Answer[]; end: string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answer[] = [];
  try {
    for (;;) {
      const answer = await get(port, agent);
      answers.push(answer);
      if (answer.connection === 'close') return { answers, end: 'Connection: close' };
    }
  } catch (error) {
    return { answers, end: String((error as NodeJS.ErrnoException).code) };
  } finally {
    agent.destroy();
  }
}

test('a server stops with busy and idle clients: every accepted request is answered, the last with Connection: close', async () => {
  const listener = await start(soon);
  const clients = Array.from({ length: 20 }, () => busyClient(listener.port));
  const idle = connect(listener.port, '127.0.0.1');
  await once(idle, 'connect');
  await pause(600);

  await listener.stop();

  const ends = await Promise.all(clients);
  expect(new Set(ends.map(({ end }) => end))).toEqual(new Set(['Connection: close']));
  expect(ends.every(({ answers }) => answers.length > 1 && answers.every(({ status }) => status === 200))).toBe(true);
  idle.destroy();
});

test('an idle client is disconnected before a slow request ends, and does not delay the stop', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
  const listener = await start((_request, response) => void mayEnd.then(() => response.end('late')));
  const idle = connect(listener.port, '127.0.0.1');
  await once(idle, 'connect');
  const agent = new Agent({ keepAlive: true });
  const slow = get(listener.port, agent);
  await pause(600);

  const stopped = listener.stop();
  await once(idle, 'close');
  end(undefined);

  expect(await slow).toEqual({ status: 200, connection: 'close' });
  await stopped;
  agent.destroy();
});

test('remaining connections are closed after ten seconds', async () => {
  const listener = await start(() => undefined);
  const stuck = connect(listener.port, '127.0.0.1');
  stuck.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  stuck.on('error', () => undefined);
  await pause(100);

  await listener.stop();

  await until(() => stuck.destroyed || stuck.readableEnded);
}, 20_000);

describe('invalid HTTP is refused in the standard error format:', () => {
  const raw = async (text: string): Promise<{ head: string; body: unknown }> => {
    const listener = await start(soon);
    const socket: Socket = connect(listener.port, '127.0.0.1');
    socket.write(text);
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    await listener.stop();
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return { head, body: JSON.parse(body) };
  };

  test('headers that are too large', async () => {
    const { head, body } = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);

    expect(head).toMatch(/^HTTP\/1.1 431 [\s\S]*X-Request-Id: [\w-]{36}/);
    expect(body).toEqual({
      error: { code: 'headers_too_large', message: expect.stringContaining('16 kB') as string, details: null },
    });
  });

  test('bytes that are not HTTP', async () => {
    const { head, body } = await raw('hello\r\n\r\n');

    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request/);
    expect(body).toMatchObject({ error: { code: 'invalid', details: [{ path: 'request' }] } });
  });
});
