import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StartDouble } from '../test/providers/doubles/double.ts';
import { serveDns } from '../test/providers/doubles/dns-server.ts';

/**
 * Runs the double of a provider's API until it is stopped: `npm run -s provider-double -- digitalocean --port 8053
 * --zone example.com`. It prints a line of JSON with its URL and the credential that it accepts, and then the settings
 * with which the service calls it. With `--dns 127.0.0.1:5353` it is also the name server and the resolver of its zones
 * and of their name servers, and uses `--resolver 127.0.0.1:53` to resolve the target of an apex alias.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string' },
    zone: { type: 'string', multiple: true, default: ['example.com'] },
    dns: { type: 'string' },
    resolver: { type: 'string' },
  },
});

const [slug = ''] = positionals;
const file = join(import.meta.dirname, '..', 'test', 'providers', 'doubles', `${slug}.ts`);
if (!/^[a-z0-9_]+$/.test(slug) || !existsSync(file)) {
  console.error(`There is no double of "${slug}". Name a provider's slug, such as digitalocean.`);
  process.exit(1);
}
const { start } = (await import(file)) as { start: StartDouble };
const double = await start({ counts: true, ...(values.port !== undefined && { port: Number(values.port) }) });
for (const zone of values.zone) double.addZone(zone);
if (values.dns !== undefined) {
  const resolver = values.resolver === undefined ? undefined : addressIn(values.resolver);
  await serveDns(double, () => values.zone, { ...addressIn(values.dns), resolver });
}
const { url, credential, tokenUrl } = double;
process.stdout.write(
  `${JSON.stringify({ url, ...(tokenUrl === undefined ? {} : { token_url: tokenUrl }), credential, zones: values.zone })}\n`,
);
for (const [name, value] of Object.entries(settings())) process.stdout.write(`${name}=${value}\n`);

/** Returns the settings of a service that uses this double. They can be pasted into .env or in front of `npm start`. */
function settings(): Record<string, string | number | boolean> {
  const prefix = `PROVIDER_${slug.toUpperCase()}`;
  const calls = { [`${prefix}_URL`]: url, ...(tokenUrl !== undefined && { [`${prefix}_TOKEN_URL`]: tokenUrl }) };
  if (values.dns === undefined) return calls;
  const { address, port } = addressIn(values.dns);
  return { ...calls, DNS_RESOLVERS: `${address}:${port}`, DNS_AUTHORITATIVE_PORT: port, DNS_ALLOW_PRIVATE: true };
}

function addressIn(given: string): { address: string; port: number } {
  const [address = '', port = '53'] = given.split(':');
  return { address, port: Number(port) };
}
