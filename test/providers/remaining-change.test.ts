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
    refuses: [{ type: 'TXT', matching: '"', because: 'contains a quotation mark, which cannot be stored there.' }],
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

const wanted = (more: Partial<DnsRecord> = {}): Addition => ({
  host: 'www.example.test',
  type: 'TXT',
  value: 'ours',
  ttl: 300,
  priority: null,
  ...more,
});
const present = (more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  ...wanted(),
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
  ['a TTL below the range', 60, 600],
  ['a TTL above the range', 86_400, 3600],
  ['a TTL inside the range', 900, 900],
])('the TTL of %s', (_, asked, given) => {
  expect(left([wanted({ ttl: asked })], []).add).toMatchObject([{ ttl: given }]);
});

test('a value that is put back keeps a TTL outside the range', () => {
  expect(left([{ ...wanted({ ttl: 1 }), extra: null }], []).add).toMatchObject([{ ttl: 1 }]);
});

test('records below a hostname are removed before its own, so that a wildcard answers for it immediately', () => {
  const hosts = ['shop.example.test', '_challenge.shop.example.test', 'example.test', 'a._challenge.shop.example.test'];
  const records = hosts.map((host) => present({ host }));
  expect(left([], records, records).remove.map(({ host }) => host)).toEqual([
    'a._challenge.shop.example.test',
    '_challenge.shop.example.test',
    'shop.example.test',
    'example.test',
  ]);
});

test.each<[string, Addition, ZoneRecord]>([
  ['a CNAME next to any record', wanted({ type: 'CNAME', value: 'e.test' }), present({ value: 'theirs' })],
  ['any record next to a CNAME', wanted(), present({ type: 'CNAME', value: 'e.test' })],
  [
    'a CNAME next to an unsupported type',
    wanted({ type: 'CNAME', value: 'e.test' }),
    present({ type: 'OTHER', value: 'TLSA x' }),
  ],
  ['a value in a set that the provider manages', wanted(), present({ value: 'system', readOnly: true })],
])('%s is a conflict, even if the provider would accept it', (_, add, current) => {
  expect(codeOf(() => left([add], [current]))).toBe('conflict');
});

test.each<[string, Addition]>([
  ['an unsupported type', wanted({ type: 'CAA', value: '0 issue "x"' })],
  ['a TXT value that is too long', wanted({ value: 'x'.repeat(21) })],
  ['a TXT value with a forbidden character', wanted({ value: 'a "b"' })],
  ['an ALIAS below the apex', wanted({ type: 'ALIAS', value: 'e.test' })],
  ['a CNAME at the apex', wanted({ type: 'CNAME', value: 'e.test', host: 'example.test' })],
])('%s is invalid', (_, add) => {
  expect(codeOf(() => left([add], []))).toBe('validation');
});

test('a full set accepts no more values', () => {
  const full = Array.from({ length: 10 }, (_, i) => present({ value: `theirs ${i}` }));
  expect(codeOf(() => left([wanted()], full))).toBe('validation');
});

test('a CNAME may replace records that the same change removes', () => {
  const old = present({ type: 'A', value: '192.0.2.1' });
  const { add, remove } = left([wanted({ type: 'CNAME', value: 'e.test' })], [old], [old]);
  expect([add.length, remove.length]).toEqual([1, 1]);
});

test('existing additions and absent removals are done; a value in both lists stays', () => {
  const gone = present({ value: 'gone' });
  expect(isDone(left([wanted()], [present()], [gone, present()]))).toBe(true);
});

test('a TTL outside the allowed steps is raised to the next one', () => {
  const stepped = { ...DESCRIPTOR, limits: { ...DESCRIPTOR.limits, ttl: { min: 300, max: 3600, steps: [300, 3600] } } };
  const ttlOf = (ttl: number) => remainingChange(stepped, ZONE, { add: [wanted({ ttl })], remove: [] }, []).add[0]?.ttl;
  expect([60, 300, 301, 86_400].map(ttlOf)).toEqual([300, 300, 3600, 3600]);
});

test('a record that existed before can be put back, even if we would not write it ourselves', () => {
  const theirs = { ...wanted({ type: 'CAA', value: '0 issue "x"' }), extra: null };
  expect(left([theirs], []).add).toMatchObject([{ type: 'CAA' }]);
});
