import { connect } from 'node:net';
import { listen } from '../../src/api/listener.ts';
import { closeOverUnreadBody } from '../../src/api/unread-body.ts';
import { startTestApi, someName, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

/** Requests without a valid credential, and bodies that are expensive to process. */
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const NESTED = '['.repeat(90_000);
const WIDE = JSON.stringify(Array.from({ length: 50_000 }, () => 1));

interface Refusal {
  error: { code: string; details: { code: string }[] | null };
}
const post = async (body: string, credential?: string, path = '/v1/batches') => {
  const answer = await send('POST', api.baseUrl + path, { body, ...(credential ? { credential } : {}) });
  const { error } = answer.body as Refusal;
  return [answer.status, error.code, error.details?.[0]?.code];
};

test.each([
  ['nested', NESTED],
  ['invalid JSON', '{'],
  ['too large', JSON.stringify('x'.repeat(600_000))],
  ['text that is not valid Unicode', '"\\ud800"'],
])('an anonymous caller whose body is %s gets a 401, and its body is not parsed', async (_, body) => {
  expect(await post(body)).toEqual([401, 'unauthorized', undefined]);
  expect(await post(body, 'sk_live_no-key-at-all')).toEqual([401, 'unauthorized', undefined]);
  expect(await post(body, undefined, '/v1/no-such-path')).toEqual([404, 'not_found', undefined]);
});

test('a known caller learns that its body is nested too deep or has too many values', async () => {
  const { live } = await api.tenant();

  expect(await post(NESTED, live.key)).toEqual([400, 'invalid', 'too_deep']);
  expect(await post(WIDE, live.key)).toEqual([400, 'invalid', 'too_many_values']);
});

test('a body with ten thousand problems is refused with the first of them', async () => {
  const { live } = await api.tenant();
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, 1]));
  const many = { application_id: live.application_id, hostnames: Array.from({ length: 10_000 }, () => 1) };
  const ask = async (body: unknown) => {
    const answer = await send('POST', `${api.baseUrl}/v1/batches`, { credential: live.key, body });
    return (answer.body as Refusal).error.details?.map(({ code }) => code);
  };

  expect((await ask({ ...many, hostnames: [someName()], ...fields }))?.length).toBe(50);
  expect(await ask(many)).toEqual(['too_big']);
});

test('an anonymous caller that keeps sending after its refusal loses its connection', async () => {
  const { port } = new URL(api.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write('POST /v1/connections HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const sending = setInterval(() => socket.write('5\r\n"aaaa\r\n'), 20);

  await closed;
  clearInterval(sending);

  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

test('an anonymous caller with a small body keeps its connection, with a large body it reads the refusal and loses it', async () => {
  const refusals = async (bytes: number) => {
    const { port } = new URL(api.baseUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /v1/batches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
    const outcome: string[] = [];
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('closed')));
    for (let n = 0; n < 2 && outcome.at(-1) !== 'closed'; n++) {
      socket.write(head + '1'.repeat(bytes));
      const answer = new Promise<string>((resolve) =>
        socket.once('data', (data) => resolve(data.toString().slice(9, 12))),
      );
      outcome.push(await Promise.race([answer, closed]));
    }
    socket.destroy();
    return outcome;
  };

  expect(await refusals(50_000)).toEqual(['401', '401']);
  expect(await refusals(5_000_000)).toEqual(['401', 'closed']);
});

test('the process reads only one chunk of a large body that no handler reads', async () => {
  const read = Promise.withResolvers<number>();
  const listener = await listen(
    (request, response) => {
      request.socket.once('close', () => read.resolve(request.socket.bytesRead));
      closeOverUnreadBody(request, response);
      response.writeHead(401).end();
    },
    { host: '127.0.0.1', port: 0, setting: 'PORT', kind: 'public' },
  );
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n${'1'.repeat(5_000_000)}`);

  const bytes = await read.promise;
  socket.destroy();
  await listener.stop();

  expect(bytes).toBeLessThanOrEqual(65_536);
});

describe('requests without a valid credential', () => {
  const limited = (trustedProxies: string[]) =>
    startTestApi({
      trustedProxies,
      limits: { anonymous: { perSecond: 0.01, burst: 3 }, key: null, tenant: null, widget: null, verify: null },
    });
  const ask = (from: TestApi, credential: string, headers: Record<string, string> = {}) =>
    send('GET', `${from.baseUrl}/v1/connections`, { credential, headers });
  const statuses = async (from: TestApi, forwarded: readonly string[]) => {
    const answers = [];
    for (const address of forwarded) answers.push(await ask(from, 'nobody', { 'x-forwarded-for': address }));
    return answers.map(({ status }) => status);
  };

  test('are limited by address, and a valid key at the same address is served', async () => {
    const here = await limited([]);
    const { live } = await here.tenant();

    const strangers = await statuses(here, ['', '', '', '']);
    const refused = await ask(here, 'nobody');
    const tenant = await ask(here, live.key);
    await here.stop();

    expect(strangers).toEqual([401, 401, 401, 429]);
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.body).toMatchObject({ error: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect(tenant.status).toBe(200);
  });

  test('are distinguished by X-Forwarded-For only behind a trusted load balancer', async () => {
    const [open, behind] = [await limited([]), await limited(['127.0.0.0/8'])];
    const four = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'];

    const forged = await statuses(open, four);
    const apart = await statuses(behind, four);
    const network = await statuses(behind, [
      '2001:db8:1:1::1',
      '2001:db8:1:1::2',
      '2001:db8:1:1:a::',
      '2001:db8:1:1::9',
    ]);
    await Promise.all([open.stop(), behind.stop()]);

    expect(forged).toEqual([401, 401, 401, 429]);
    expect(apart).toEqual([401, 401, 401, 401]);
    expect(network).toEqual([401, 401, 401, 429]);
  });
});
