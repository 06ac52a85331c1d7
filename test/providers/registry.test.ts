import { aloneWith } from './processes.ts';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD_TYPES } from '../../src/domain/record.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { descriptors, providerOf } from '../../src/providers/registry.ts';

test('every provider is found by its slug, and nothing else is', () => {
  for (const descriptor of descriptors()) expect(providerOf(descriptor.slug)?.descriptor).toBe(descriptor);
  expect(new Set(descriptors().map(({ slug }) => slug)).size).toBe(descriptors().length);
  for (const slug of ['', 'nobody', 'constructor', '__proto__']) expect(providerOf(slug)).toBeUndefined();
});

describe.each(descriptors().map((descriptor) => [descriptor.slug, descriptor] as const))('%s', (slug, descriptor) => {
  test('has consistent capabilities and limits', () => {
    const { capabilities, limits } = descriptor;
    for (const type of capabilities.record_types) expect(RECORD_TYPES).toContain(type);
    expect(capabilities.record_types.includes('ALIAS')).toBe(capabilities.apex_alias !== 'none');
    expect(capabilities.record_types.includes('CAA')).toBe(capabilities.caa);
    expect(limits.ttl.min).toBeLessThanOrEqual(600);
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
