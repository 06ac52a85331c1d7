import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { createHttpsJson, type HttpsJson } from '../../src/net/https-json.ts';
import { readBootstrap } from '../../src/registrations/bootstrap.ts';
import { askRegistration } from '../../src/registrations/rdap.ts';
import { startRdapServer, type RdapServer } from '../support/doubles/rdap-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MINUTE = 60_000;
const SHOP = { registeredAt: new Date('2020-02-03T04:05:06Z'), expiresAt: new Date('2027-02-03T04:05:06Z') };
const FOUND = { outcome: 'found', registered_at: SHOP.registeredAt, expires_at: SHOP.expiresAt };
const UNKNOWN = { answer: { outcome: 'unknown' }, pauseMs: 0 };

let server: RdapServer;
let http: HttpsJson;
beforeAll(async () => {
  server = await startRdapServer();
  const limits = { accept: 'application/rdap+json', maxBytes: 4_096 };
  http = createHttpsJson({ allowed: EVERY_NETWORK }, {}, limits);
  server.registered.set('shop.com', SHOP);
});
afterAll(() => Promise.all([http.close(), server.stop()]));
afterEach(() => {
  server.answer = null;
  server.limitedFor = null;
});

const ask = (domain: string, at = server.url) => askRegistration(http, at, domain, AbortSignal.timeout(20_000));
const always = (status: number, body: string, headers: Record<string, string> = {}) => {
  server.answer = (_domain, response) => Boolean(response.writeHead(status, headers).end(body));
};

describe('a registry', () => {
  test('knows a domain with its dates, or does not know it', async () => {
    expect(await ask('shop.com')).toEqual({ answer: FOUND, pauseMs: 0 });
    expect(await ask('free.com')).toEqual({ answer: { outcome: 'not_found' }, pauseMs: 0 });
    expect(server.asked).toEqual(['shop.com', 'free.com']);
  });

  test('may publish no end, and a transfer to another registrar changes nothing', async () => {
    server.registered.set('moved.com', { ...SHOP, expiresAt: null, transferredAt: new Date() });
    expect((await ask('moved.com')).answer).toEqual({ ...FOUND, expires_at: null });
  });

  test.each([
    ['an error page', 403, '<html>Forbidden</html>'],
    ['text instead of JSON', 200, 'registered, honestly'],
    ['another object', 200, '{"objectClassName":"nameserver"}'],
    ['another domain', 200, '{"objectClassName":"domain","ldhName":"other.com"}'],
  ])('that answers with %s is not understood', async (_, status, body) => {
    always(status, body);
    expect(await ask('shop.com')).toEqual(UNKNOWN);
  });

  test('may send dates that are none', async () => {
    always(200, '{"objectClassName":"domain","events":[{"eventAction":"expiration","eventDate":"soon"},{}]}');
    expect((await ask('shop.com')).answer).toEqual({ outcome: 'found', registered_at: null, expires_at: null });
  });

  test('that wants fewer requests is left alone for as long as it asks, and the question stays open', async () => {
    server.limitedFor = 120;
    expect(await ask('shop.com')).toEqual({ answer: null, pauseMs: 2 * MINUTE });
  });

  test.each([
    ['fails', () => always(503, '', { 'retry-after': '60' }), MINUTE],
    ['fails without a word', () => always(500, ''), 10 * MINUTE],
    ['answers with too much', () => always(200, ' '.repeat(9_000)), 10 * MINUTE],
    ['hangs up', () => (server.answer = (_domain, { socket }) => Boolean(socket?.destroy())), 10 * MINUTE],
  ])('that %s has not answered, and gets a pause', async (_, fail, pauseMs) => {
    fail();
    expect(await ask('shop.com')).toEqual({ ...UNKNOWN, pauseMs });
  });

  test('may redirect three times, and never to plain http elsewhere', async () => {
    let left = 3;
    server.answer = (domain, response) =>
      left-- > 0 && Boolean(response.writeHead(302, { location: `/rdap/domain/${domain}` }).end());
    expect((await ask('shop.com')).answer).toEqual(FOUND);
    left = 4;
    expect(await ask('shop.com')).toEqual(UNKNOWN);
    for (const location of ['http://registry.example/rdap/domain/shop.com', 'ftp://127.0.0.1/', '']) {
      always(301, '', { location });
      expect(await ask('shop.com')).toEqual(UNKNOWN);
    }
  });

  test('at an address that is not public is not dialled, unless private addresses are allowed', async () => {
    const guarded = createHttpsJson({ allowed: [] });
    const before = server.asked.length;
    const asked = await askRegistration(guarded, server.url, 'shop.com', AbortSignal.timeout(20_000));
    await guarded.close();
    expect([asked.answer, server.asked.length]).toEqual([{ outcome: 'unknown' }, before]);
  });

  test('is not asked after the worker began to stop', async () => {
    await expect(askRegistration(http, server.url, 'shop.com', AbortSignal.abort())).rejects.toThrow(/abort/);
  });
});

describe('the bootstrap file', () => {
  const fileOf = async (content: unknown): Promise<string> => {
    const file = join(await tempFolder(), 'dns.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  test('names the server of the longest suffix, by https', async () => {
    const serverOf = await readBootstrap(
      await fileOf({
        description: 'RDAP bootstrap file for Domain Name System registrations',
        publication: '2026-11-01T00:00:00Z',
        services: [
          [
            ['com', 'NET'],
            ['http://rdap.verisign.example/com/v1/', 'https://rdap.verisign.example/com/v1'],
          ],
          [['uk'], ['https://rdap.nominet.example/uk/']],
          [['co.uk'], ['https://rdap.co.example/']],
          [['old'], ['http://rdap.old.example/']],
          [['local'], ['http://127.0.0.1:8080/rdap/']],
          [['user'], ['https://me:secret@rdap.user.example/']],
        ],
        version: '1.0',
      }),
    );
    expect(['shop.com', 'shop.net', 'shop.uk', 'shop.co.uk', 'shop.local'].map(serverOf)).toEqual([
      'https://rdap.verisign.example/com/v1/',
      'https://rdap.verisign.example/com/v1/',
      'https://rdap.nominet.example/uk/',
      'https://rdap.co.example/',
      'http://127.0.0.1:8080/rdap/',
    ]);
    expect(['shop.old', 'shop.user', 'shop.test', 'com.example'].map(serverOf)).toEqual([null, null, null, null]);
  });

  test.each(['', 'services', { services: [['com']] }, { services: 'https://rdap.example/' }])(
    'is refused if it is not one: %j',
    async (content) => {
      await expect(readBootstrap(await fileOf(content))).rejects.toThrow(/not a bootstrap file/);
    },
  );
});
