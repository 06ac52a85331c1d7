import { setImmediate as turn } from 'node:timers/promises';
import { inProcessExclusive } from '../../src/providers/toolkit/exclusive.ts';
import { type HttpAccount, type ProviderHttp, providerHttp } from '../../src/providers/toolkit/http.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { type Rate, rateLimiter, takeToken } from '../../src/providers/toolkit/rate-limit.ts';
import { redactor } from '../../src/providers/toolkit/redact.ts';
import { retryAfterSeconds } from '../../src/providers/toolkit/retry-after.ts';
import { type Answer, type DoubleServer, serveDouble } from './doubles/serve.ts';

const descriptor = {
  slug: 'somebody',
  name: 'Somebody',
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 255,
    txt_excludes: '',
    set_values: 100,
    atomic: false,
    concurrency: 'zone_lock',
    requests: { per_second: 100, burst: 100 },
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

  test('a body larger than the cap is not read to its end', async () => {
    answer = { status: 200, body: 'x'.repeat(33 * 1024 * 1024) };
    await expect(account().send({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'transient' });
  });

  test('a redirect is an answer like any other: credentials do not follow it', async () => {
    answer = { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    expect(await account().send({ method: 'GET', path: '/' })).toMatchObject({ status: 302 });
  });

  test('a refused connection has changed nothing', async () => {
    const sent = account([], 'http://127.0.0.1:1').send({ method: 'POST', path: '/' });
    await expect(sent).rejects.toMatchObject({ code: 'transient', mayHaveChanged: false });
  });

  test('errors lose secrets in every spelling in which they travel', () => {
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

  test('an address with a user, a query or another scheme is refused', () => {
    for (const url of ['ftp://dns.test', 'https://user:pw@dns.test', 'https://dns.test?x=1', 'nonsense']) {
      expect(() => account([], url)).toThrow(ProviderError);
    }
  });
});

describe('the allowance of an account', () => {
  const rate: Rate = { per_second: 2, burst: 3 };

  test('a burst goes through at once; those behind it wait in turn', () => {
    let bucket = { tokens: rate.burst, at: 0 };
    const waits = [1, 2, 3, 4, 5].map(() => {
      const taken = takeToken(bucket, rate, 0);
      bucket = taken.bucket;
      return taken.waitMs;
    });
    expect(waits).toEqual([0, 0, 0, 500, 1000]);
    expect(takeToken(bucket, rate, 60_000)).toEqual({ bucket: { tokens: 2, at: 60_000 }, waitMs: 0 });
  });

  test('one account’s burst does not hold up another, and an abort ends the wait', async () => {
    const limit = rateLimiter(() => 0);
    const slow: Rate = { per_second: 0.001, burst: 1 };
    const controller = new AbortController();
    await limit('a', slow, controller.signal);
    const waiting = limit('a', slow, controller.signal);
    await limit('b', slow, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow();
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

test('one zone’s tasks run one at a time and in order, also after one failed; another zone’s run beside them', async () => {
  const exclusive = inProcessExclusive();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} begins`);
    await turn();
    log.push(`${name} ends`);
    if (name === 'one') throw new Error('failed');
  };
  const settled = await Promise.allSettled([
    exclusive('a', task('one')),
    exclusive('a', task('two')),
    exclusive('b', task('three')),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => !line.startsWith('three'))).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  expect(log.indexOf('three begins')).toBeLessThan(log.indexOf('two begins'));
});
