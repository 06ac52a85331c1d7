import { aloneWith } from './processes.ts';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD_TYPES } from '../../src/domain/record.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { descriptors, providerOf } from '../../src/providers/registry.ts';

/** RFC 2181 section 8. */
const TTL_MAX = 2 ** 31 - 1;

test('every provider is found by its slug, and nothing else is', () => {
  for (const descriptor of descriptors()) expect(providerOf(descriptor.slug)?.descriptor).toBe(descriptor);
  expect(new Set(descriptors().map(({ slug }) => slug)).size).toBe(descriptors().length);
  for (const slug of ['', 'nobody', 'constructor', '__proto__']) expect(providerOf(slug)).toBeUndefined();
});

/** The nineteen hosted providers that the API has always named. Clients may count on their category. */
const NINETEEN = [
  ...['cloudflare', 'route53', 'google_cloud_dns', 'azure_dns', 'digitalocean', 'linode', 'vultr', 'hetzner', 'gandi'],
  ...['godaddy', 'namecheap', 'namecom', 'porkbun', 'dnsimple', 'ns1', 'ovh', 'vercel', 'netlify', 'bunny'],
];

test('every provider beyond the nineteen is additional', () => {
  for (const { slug, category } of descriptors())
    expect([slug, category !== 'additional']).toEqual([slug, NINETEEN.includes(slug)]);
});

describe.each(descriptors().map((descriptor) => [descriptor.slug, descriptor] as const))('%s', (slug, descriptor) => {
  test('has consistent capabilities and limits', () => {
    const { capabilities, limits } = descriptor;
    for (const type of capabilities.record_types) expect(RECORD_TYPES).toContain(type);
    expect(capabilities.record_types.includes('ALIAS')).toBe(capabilities.apex_alias !== 'none');
    expect(capabilities.record_types.includes('CAA')).toBe(capabilities.caa);
    const { min, max, steps = [min, max] } = limits.ttl;
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect([min, max]).toEqual([steps[0], steps.at(-1)]);
    expect(max).toBeLessThanOrEqual(TTL_MAX);
    for (const pattern of descriptor.nameserver_patterns) expect(() => new RegExp(pattern)).not.toThrow();
  });

  test('has instructions for adding the records manually', async () => {
    await access(join(__dirname, '..', '..', 'src', 'providers', slug, 'instructions.md'));
  });

  test('names each missing and each unknown field of a credential, before any call', async () => {
    const provider = providerOf(slug)!;
    const http = providerHttp();
    const context = aloneWith(http);
    for (const { name, required } of descriptor.auth.fields) {
      const others = descriptor.auth.fields.filter((field) => field.name !== name);
      const credential = Object.fromEntries(others.map((field) => [field.name, 'dummy']));
      if (required) expect(() => provider.open({ ...credential, [name]: ' ' }, context)).toThrow(name);
    }
    expect(() => provider.open({ surprise: 'value' }, context)).toThrow('surprise');
    await http.close();
  });
});
