import { readCredential } from '../../../src/providers/toolkit/credential.ts';
import { providerHttp } from '../../../src/providers/toolkit/http.ts';
import { nextLink, nextPage, readPages, requestOfLink } from '../../../src/providers/toolkit/pages.ts';
import { pollUntil } from '../../../src/providers/toolkit/poll.ts';
import { tokenCache } from '../../../src/providers/toolkit/token-cache.ts';
import { descriptor } from './descriptor.ts';

const providers = providerHttp();
const http = providers.account({ descriptor, baseUrl: 'https://dns.example.test/api', secrets: [] });
afterAll(() => providers.close());

describe('pages', () => {
  test('are read to the last page', async () => {
    const items = await readPages(http, 1, (page) => Promise.resolve({ items: [page], next: nextPage(page, 3) }));
    expect(items).toEqual([1, 2, 3]);
  });

  test('that repeat a page are refused, and so are thousands of entries', async () => {
    const circle = readPages(http, 'a', (marker) => Promise.resolve({ items: [1], next: marker === 'a' ? 'b' : 'a' }));
    await expect(circle).rejects.toMatchObject({ code: 'transient' });
    const many = readPages(http, 1, (page) =>
      Promise.resolve({ items: Array<number>(1_000).fill(page), next: page + 1 }),
    );
    await expect(many).rejects.toMatchObject({ code: 'validation' });
  });

  test('are followed by link only on the provider’s own server', () => {
    expect(requestOfLink(http, 'https://dns.example.test/api/zones?page=2')).toEqual({
      path: '/zones',
      query: { page: '2' },
    });
    for (const link of [
      'https://evil.test/api/zones',
      'https://dns.example.test/other',
      'http://dns.example.test/api/zones',
    ])
      expect(() => requestOfLink(http, link)).toThrow(/another server/);
    expect(nextLink('<https://a.test/1>; rel="prev", <https://a.test/3>; rel="next"')).toBe('https://a.test/3');
    expect(nextLink(undefined)).toBeUndefined();
  });
});

describe('access tokens', () => {
  test('are fetched once for many callers, again before they expire, and again after a refusal', async () => {
    let now = 0;
    let fetched = 0;
    const cache = tokenCache({ now: () => now });
    const get = () =>
      cache.get('credential', () => Promise.resolve({ token: `token ${++fetched}`, expiresAt: now + 3_600_000 }));
    expect(await Promise.all([get(), get(), get()])).toEqual(['token 1', 'token 1', 'token 1']);
    now = 3_550_000;
    expect(await get()).toBe('token 2');
    cache.discard('credential', 'token 1');
    expect(await get()).toBe('token 2');
    cache.discard('credential', 'token 2');
    expect(await get()).toBe('token 3');
  });

  test('that could not be fetched are requested again', async () => {
    const cache = tokenCache({ now: () => 0 });
    await expect(cache.get('credential', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get('credential', () => Promise.resolve({ token: 'yes', expiresAt: 1e9 }))).toBe('yes');
  });
});

test('a change in progress is polled until it is done or has taken too long', async () => {
  let now = 0;
  const clock = { now: () => now, sleep: (ms: number) => Promise.resolve(void (now += ms)) };
  const doneAt = (at: number) => () => Promise.resolve(now >= at ? 'done' : undefined);
  expect(await pollUntil(clock, { everyMs: 500, limitMs: 10_000 }, doneAt(2_000))).toBe('done');
  expect(await pollUntil(clock, { everyMs: 500, limitMs: 10_000 }, doneAt(1e9))).toBeUndefined();
  expect(now).toBeLessThanOrEqual(12_000);
});

test.each(['two\nlines', 'grüße', 'a\u0000b', 'a\tb'])(
  'a credential with characters that cannot be sent is refused: %j',
  (value) => {
    expect(() => readCredential(descriptor, { api_token: value })).toThrow(/api_token/);
  },
);

test('a misspelt field of a credential does not compile', () => {
  const fields = readCredential(descriptor, { api_token: 'token' });
  expect(fields.api_token).toBe('token');
  // @ts-expect-error The descriptor has no such field.
  expect(fields.api_tokn).toBeUndefined();
});
