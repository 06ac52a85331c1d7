import { providerOf } from '../../src/providers/registry.ts';
import type { StartDouble } from './doubles/double.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const http = uncountedHttp();
afterAll(() => http.close());

/**
 * The number of requests in the longest window that programs reach, and whether the refusal contains a time to wait.
 */
test.each([
  ['azure_dns', 500, true],
  ['cloudflare', 1_200, true],
  ['desec', 50, true],
  ['digitalocean', 5_000, true],
  ['dnsimple', 2_400, true],
  ['gandi', 1_000, false],
  ['hetzner', 3_600, true],
  ['namecheap', 700, true],
])(
  'the double of %s refuses the request after the first %i, and the adapter reports a rate limit',
  async (slug, count, tellsWhen) => {
    const { start } = (await import(`./doubles/${slug}.ts`)) as { start: StartDouble };
    const double = await start({ counts: true });
    try {
      double.addZone('example.test');
      const { credential, url: baseUrl, tokenUrl } = double;
      const context = { ...aloneWith(http), baseUrl, ...(tokenUrl !== undefined && { tokenUrl }) };
      const account = providerOf(slug)!.open(credential, context);
      await account.verify();
      for (let sent = 0; sent < count; sent += 50)
        await Promise.all(Array.from({ length: 50 }, () => fetch(baseUrl).then((answer) => answer.text())));
      const refused = await account.verify().catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'rate_limited' });
      const { retryAfterSeconds = 0 } = refused as { retryAfterSeconds?: number };
      expect(retryAfterSeconds > 0).toBe(tellsWhen);
    } finally {
      await double.stop();
    }
  },
  60_000,
);
