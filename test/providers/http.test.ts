import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpAccount, type ProviderHttp, providerHttp } from '../../src/providers/toolkit/http.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { redactor } from '../../src/providers/toolkit/redact.ts';
import { retryAfterSeconds } from '../../src/net/retry-after.ts';
import { type Answer, type DoubleServer, serveDouble } from './doubles/serve.ts';

const descriptor = {
  slug: 'somebody',
  name: 'Somebody',
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 255,
    set_values: 100,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [],
  },
} as const;

describe('the HTTP client', () => {
  let server: DoubleServer;
  let http: ProviderHttp;
  let answer: Answer;
  beforeAll(async () => {
    server = await serveDouble(() => answer);
    http = providerHttp();
  });
  afterAll(async () => {
    await http.close();
    await server.stop();
  });
  const account = (secrets: string[] = [], baseUrl = server.url): HttpAccount =>
    http.account({ descriptor, baseUrl, secrets });

  test('a body larger than the limit is not read to its end', async () => {
    answer = { status: 200, body: 'x'.repeat(5 * 1024 * 1024) };
    const failure: unknown = await account()
      .send({ method: 'GET', path: '/' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'validation', message: expect.stringContaining('fewer zones') as string });
  });

  test('a redirect is an ordinary answer: credentials are not sent to its target', async () => {
    answer = { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    expect(await account().send({ method: 'GET', path: '/' })).toMatchObject({ status: 302 });
  });

  test('a refused connection has not changed anything', async () => {
    const sent = account([], 'http://127.0.0.1:1').send({ method: 'POST', path: '/' });
    await expect(sent).rejects.toMatchObject({ code: 'transient', mayHaveChanged: false });
  });

  test('a caller’s timeout means that the provider did not answer; another abort keeps its reason', async () => {
    const silent = await silentServer();
    const asking = (signal: AbortSignal) => account([], silent.url).send({ method: 'POST', path: '/' }, { signal });
    await expect(asking(AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'transient', mayHaveChanged: true });
    const reason = new Error('the connection was archived');
    await expect(asking(AbortSignal.abort(reason))).rejects.toBe(reason);
    await silent.stop();
  });

  test('an access token is redacted from errors as soon as it is known', () => {
    const own = account();
    own.learnSecret('access-token-0123');
    expect(own.error('validation', 'bad access-token-0123').message).toBe('Somebody: bad [redacted]');
  });

  test('errors lose secrets in every spelling in which we send them', () => {
    const secret = 'pass/word+with "quotes"';
    const spellings = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString('base64'),
    ];
    for (const spelling of spellings) {
      expect(account([secret]).error('validation', `you sent ${spelling}!`).message).toBe(
        spelling.startsWith('"') ? 'Somebody: you sent "[redacted]"!' : 'Somebody: you sent [redacted]!',
      );
    }
    expect(redactor([])('one\r\nline')).toBe('one line');
  });

  test('a URL with a user, a query or another scheme is refused', () => {
    for (const url of ['ftp://dns.test', 'https://user:pw@dns.test', 'https://dns.test?x=1', 'nonsense']) {
      expect(() => account([], url)).toThrow(ProviderError);
    }
  });
});

describe('retry-after', () => {
  const NOW = Date.parse('2026-11-15T10:00:00Z');
  test.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '30' }, 30],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:02:00 GMT' }, 120],
    [{ 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 45) }, 45],
    [{ 'ratelimit-reset': '12' }, 12],
  ])('%j means %p seconds', (headers, seconds) => {
    expect(retryAfterSeconds((name) => headers[name], NOW)).toBe(seconds);
  });
});

/** Accepts connections and never answers. */
async function silentServer(): Promise<DoubleServer> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
