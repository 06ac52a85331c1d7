import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseConfig } from '../../src/config.ts';
import { createDetection } from '../../src/dns/detect.ts';
import { createObserver } from '../../src/dns/observer.ts';
import { providerUrls } from '../../src/main/provider-urls.ts';
import { descriptors, providerOf } from '../../src/providers/registry.ts';
import { askOnce } from '../support/dns-ask.ts';
import { freeDnsPort } from '../support/fixtures/dns-port.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const TOOL = join(__dirname, '..', '..', 'tools', 'provider-double.ts');

/** Starts the command, reads its lines up to the last setting, and passes the settings on. */
async function withDouble(slug: string, port: number, use: (printed: Printed) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [TOOL, slug, '--zone', 'example.com', '--dns', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const env: Record<string, string> = {};
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value: first } = await lines.next();
    while (!('DNS_ALLOW_PRIVATE' in env)) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec((await lines.next()).value ?? '') ?? [];
      if (name === '') throw new Error('The command printed a line that is not a setting.');
      env[name] = value;
    }
    await use({ env, credential: (JSON.parse(first ?? '') as { credential: Record<string, string> }).credential });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

interface Printed {
  env: Record<string, string>;
  credential: Record<string, string>;
}

test.each(['vultr', 'azure_dns'])(
  'with the settings that the double of %s prints, its API and its zones are found',
  async (slug) => {
    const port = await freeDnsPort();
    await withDouble(slug, port, async ({ env, credential }) => {
      const urls = providerUrls(env);
      const http = uncountedHttp();
      const account = providerOf(slug)!.open(credential, {
        ...aloneWith(http),
        baseUrl: urls.get(slug)!,
        ...(urls.has(`${slug}_token`) && { tokenUrl: urls.get(`${slug}_token`)! }),
      });
      expect(await account.findZone('shop.example.com')).toMatchObject({ name: 'example.com' });
      await http.close();

      const { DNS_RESOLVERS, DNS_AUTHORITATIVE_PORT, DNS_ALLOW_PRIVATE } = parseConfig(env);
      const observer = createObserver(
        { resolvers: DNS_RESOLVERS, authoritativePort: DNS_AUTHORITATIVE_PORT, allowPrivate: DNS_ALLOW_PRIVATE },
        { detection: createDetection(descriptors()) },
      );
      const { provider } = await observer.observeDomain('shop.example.com', []);
      expect(provider).toMatchObject({ slug, confidence: 'certain' });
      // Only the name servers themselves answer with the SOA.
      expect(await observer.observeZone('shop.example.com')).toMatchObject({
        name: 'example.com',
        registered: true,
        soa: { mname: 'ns1.example.com' },
      });
      await observer.close();
    });
  },
);

test('the double answers for its name servers with its own address, and refuses other names', async () => {
  const port = await freeDnsPort();
  await withDouble('vultr', port, async () => {
    const ask = async (name: string, type: 'A' | 'AAAA') => {
      const reply = await askOnce({ address: '127.0.0.1', port }, { name, type, recursion: true });
      return reply.ok ? reply.message.answers.map(({ value }) => value) : reply.cause;
    };
    expect(await ask('ns2.vultr.com', 'A')).toEqual(['127.0.0.1']);
    expect(await ask('NS2.Vultr.com', 'A')).toEqual(['127.0.0.1']);
    expect(await ask('ns2.vultr.com', 'AAAA')).toEqual([]);
    expect(await ask('www.vultr.com', 'A')).toBe('refused');
  });
});
