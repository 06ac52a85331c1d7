import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { ns1 } from '../../src/providers/ns1/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { type Ns1Double, start } from './doubles/ns1.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, message: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify({ message }),
});

doubleConformance(ns1, start, {
  refusals: [
    { name: 'no such zone', code: 'zone_not_found', answer: refused(400, 'zone not found') },
    { name: 'no such zone, as a success', code: 'zone_not_found', answer: refused(200, 'zone not found') },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(400, "Input validation failed (Value None for field '<obj>.filters' is not of type array)"),
    },
    {
      name: 'a record of DNSSEC',
      code: 'conflict',
      answer: refused(405, 'Operation on DNSSEC record is not allowed'),
    },
    {
      name: 'a limit reported by its period',
      code: 'rate_limited',
      retryAfterSeconds: 2,
      answer: refused(429, 'Too Many Requests', { 'x-ratelimit-limit': '100', 'x-ratelimit-period': '200' }),
    },
  ],
});

describe('ns1 in particular', () => {
  let double: Ns1Double;
  const http = uncountedHttp();
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => ns1.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
  const theirs = { name: 'shop', type: 'TXT', ttl: 7200, rdata: '"theirs"' };
  const ours = record('shop.example.test', 'TXT', 'ours');

  test('zones and records beyond the first page are found; linked and secondary zones are not', async () => {
    for (let i = 0; i < 230; i++) double.addZone(`z${i}.test`);
    double.zoneOf('z7.test').link = 'z8.test';
    double.zoneOf('z9.test').secondary = { enabled: true };
    expect(await open().verify()).toHaveLength(228);
    expect(await open().findZone('www.z229.test')).toMatchObject({
      name: 'z229.test',
      nameservers: ['dns1.p08.nsone.net', 'dns2.p08.nsone.net', 'dns3.p08.nsone.net', 'dns4.p08.nsone.net'],
    });

    const many = Array.from({ length: 230 }, (_, i) => ({ ...theirs, name: `h${i}` }));
    double.addZone('example.test', many);
    expect(await open().records(zone, ['h229.example.test'])).toMatchObject([{ value: 'theirs' }]);
  });

  test('extra data of an answer and of a set survives an added value, and a removal and restoration of the set', async () => {
    double.addZone('example.test', [theirs]);
    const set = double.zoneOf('example.test').records.find(({ type }) => type === 'TXT')!;
    Object.assign(set.answers[0]!, { meta: { note: 'mail' } });
    Object.assign(set, { use_client_subnet: false, meta: { priority: 1 } });
    const before = double.dump('example.test');
    const account = open();

    await account.apply(zone, { add: [ours], remove: [] });
    expect(double.dump('example.test')).toEqual(expect.arrayContaining(before));
    await account.apply(zone, { add: [], remove: [ours] });
    expect(double.dump('example.test')).toEqual(before);

    const present = await account.records(zone, [ours.host]);
    const alias = record(ours.host, 'CNAME', 'edge.example.net');
    const { removed } = await account.apply(zone, { add: [alias], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [alias] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a set whose replacement NS1 refuses is put back with all settings of its owner', async () => {
    double.addZone('example.test', [theirs]);
    const set = double.zoneOf('example.test').records.find(({ type }) => type === 'TXT')!;
    Object.assign(set, { use_client_subnet: false, meta: { priority: 1 } });
    const before = double.dump('example.test');
    const alias = record(ours.host, 'CNAME', 'edge.example.net');
    const { records } = double.zoneOf('example.test');

    const failed = open().apply(zone, {
      hosts: [ours.host],
      decide: (present) => {
        // Another program sets an address after our read.
        records.push({ ...set, id: 'other', type: 'A', answers: [{ answer: ['192.0.2.1'] }] });
        return { add: [alias], remove: present };
      },
    });

    await expect(failed).rejects.toMatchObject({ code: 'conflict' });
    expect(double.dump('example.test')).toEqual(expect.arrayContaining(before));
  });

  test.each([
    ['filters', { filters: [{ filter: 'up', config: {} }] }],
    ['regions', { regions: { europe: {} } }],
    ['a link', { link: 'other.example.test', answers: [] }],
    ['a higher tier', { tier: 3 }],
  ])('a set with %s is not changed', async (_, steering) => {
    double.addZone('example.test', [theirs]);
    Object.assign(
      double.zoneOf('example.test').records.find(({ type }) => type === 'TXT')!,
      steering,
    );
    const before = double.dump('example.test');
    const account = open();
    const [present] = await account.records(zone, [ours.host]);
    expect(present).toMatchObject({ readOnly: true });
    const alias = record(ours.host, 'CNAME', 'edge.example.net');
    await expect(account.apply(zone, { add: [alias], remove: [present!] })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(account.apply(zone, { add: [ours], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
    expect(double.dump('example.test')).toEqual(before);
  });
});
