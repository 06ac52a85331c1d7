import type { DnsRecord } from '../../src/domain/record.ts';
import type { Addition, ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import type { Descriptor } from '../../src/providers/descriptor.ts';
import { ProviderError, type ProviderErrorCode } from '../../src/providers/provider-error.ts';
import { isDone, remainingChange } from '../../src/providers/toolkit/remaining-change.ts';

const ZONE = { id: 'z', name: 'example.test', nameservers: [] };
const DESCRIPTOR: Descriptor = {
  slug: 'somebody',
  name: 'Somebody',
  category: 'token',
  setup_types: ['automatic'],
  auth: { fields: [] },
  capabilities: {
    record_types: ['A', 'CNAME', 'ALIAS', 'TXT'],
    apex_alias: 'native',
    cname_flattening: false,
    wildcard: true,
    caa: false,
    multi_txt: true,
    ns_delegation: false,
  },
  limits: {
    ttl: { min: 600, max: 3600 },
    txt_bytes: 20,
    refuses: [{ type: 'TXT', matching: '"', because: 'holds a quotation mark, which cannot be stored there.' }],
    set_values: 10,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [],
  },
  nameserver_patterns: [],
  domain_connect: false,
  control_panel_url: null,
  panel: { path: [], save: null, apex_host: '@' },
  limitations: [],
  base_url: null,
};

const wish = (more: Partial<DnsRecord> = {}): Addition => ({
  host: 'www.example.test',
  type: 'TXT',
  value: 'ours',
  ttl: 300,
  priority: null,
  ...more,
});
const present = (more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  ...wish(),
  id: null,
  readOnly: false,
  extra: null,
  ...more,
});
const codeOf = (act: () => unknown): ProviderErrorCode | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ProviderError) return error.code;
    throw error;
  }
};
const left = (add: Addition[], current: ZoneRecord[], remove: ZoneRecord[] = []) =>
  remainingChange(DESCRIPTOR, ZONE, { add, remove }, current);

test.each<[string, number, number]>([
  ['a wish below the range', 60, 600],
  ['a wish above the range', 86_400, 3600],
  ['a wish inside the range', 900, 900],
])('the TTL of %s', (_, asked, given) => {
  expect(left([wish({ ttl: asked })], []).add).toMatchObject([{ ttl: given }]);
});

test('a value put back keeps a TTL that could not be asked for', () => {
  expect(left([{ ...wish({ ttl: 1 }), extra: null }], []).add).toMatchObject([{ ttl: 1 }]);
});

test.each<[string, Addition, ZoneRecord]>([
  ['a CNAME beside anything', wish({ type: 'CNAME', value: 'e.test' }), present({ value: 'theirs' })],
  ['anything beside a CNAME', wish(), present({ type: 'CNAME', value: 'e.test' })],
  [
    'a CNAME beside a type we do not speak',
    wish({ type: 'CNAME', value: 'e.test' }),
    present({ type: 'OTHER', value: 'TLSA x' }),
  ],
  ['a value in a set that the provider manages', wish(), present({ value: 'system', readOnly: true })],
])('%s is a conflict, whatever the provider would accept', (_, add, current) => {
  expect(codeOf(() => left([add], [current]))).toBe('conflict');
});

test.each<[string, Addition]>([
  ['a type it does not have', wish({ type: 'CAA', value: '0 issue "x"' })],
  ['a TXT value that is too long', wish({ value: 'x'.repeat(21) })],
  ['a TXT value with a character it cannot hold', wish({ value: 'a "b"' })],
  ['an ALIAS below the apex', wish({ type: 'ALIAS', value: 'e.test' })],
  ['a CNAME at the apex', wish({ type: 'CNAME', value: 'e.test', host: 'example.test' })],
])('%s is invalid', (_, add) => {
  expect(codeOf(() => left([add], []))).toBe('validation');
});

test('a set that is full takes no more', () => {
  const full = Array.from({ length: 10 }, (_, i) => present({ value: `theirs ${i}` }));
  expect(codeOf(() => left([wish()], full))).toBe('validation');
});

test('a CNAME may take the place of what is removed in the same change', () => {
  const old = present({ type: 'A', value: '192.0.2.1' });
  const { add, remove } = left([wish({ type: 'CNAME', value: 'e.test' })], [old], [old]);
  expect([add.length, remove.length]).toEqual([1, 1]);
});

test('what stands and what is gone is done; a value in both lists stays', () => {
  const gone = present({ value: 'gone' });
  expect(isDone(left([wish()], [present()], [gone, present()]))).toBe(true);
});

test('a TTL that must be one of a list is raised to the next one', () => {
  const stepped = { ...DESCRIPTOR, limits: { ...DESCRIPTOR.limits, ttl: { min: 300, max: 3600, steps: [300, 3600] } } };
  const ttlOf = (ttl: number) => remainingChange(stepped, ZONE, { add: [wish({ ttl })], remove: [] }, []).add[0]?.ttl;
  expect([60, 300, 301, 86_400].map(ttlOf)).toEqual([300, 300, 3600, 3600]);
});

test('what stood there before can be put back, also where we would not write it ourselves', () => {
  const theirs = { ...wish({ type: 'CAA', value: '0 issue "x"' }), extra: null };
  expect(left([theirs], []).add).toMatchObject([{ type: 'CAA' }]);
});
