import { hetzner } from '../../src/providers/hetzner/adapter.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import type { ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { doubleConformance } from './double-conformance.ts';
import { start, startHetznerDouble } from './doubles/hetzner.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, error: string, message = 'no') => ({
  name,
  code,
  answer: { status, body: JSON.stringify({ error: { code: error, message, details: null } }) },
});

doubleConformance(hetzner, start, {
  refusals: [
    refused('a token that may only read', 'forbidden_scope', 403, 'token_readonly'),
    refused('a concurrent change, which Hetzner calls conflict', 'transient', 409, 'conflict'),
    refused('a zone that is locked by another action', 'transient', 423, 'locked'),
    refused('a protected set', 'conflict', 423, 'protected'),
    refused('a limit of the project', 'plan_required', 403, 'resource_limit_exceeded'),
    refused('a CNAME that is not alone', 'conflict', 422, 'invalid_input', 'CNAME conflicts with A'),
    refused('bad input', 'validation', 422, 'invalid_input'),
    refused('an endpoint that no longer exists', 'transient', 410, 'deprecated_api_endpoint'),
    {
      name: 'a limit whose reset time counts from 1970',
      code: 'rate_limited',
      retryAfterSeconds: 0,
      answer: { status: 429, headers: { 'ratelimit-reset': '1768313803' } },
    },
  ],
});

describe('hetzner in particular', () => {
  let http: ProviderHttp;
  let double: Awaited<ReturnType<typeof startHetznerDouble>>;
  beforeEach(async () => {
    double = await startHetznerDouble({ pendingFor: 2 });
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const open = () => {
    const alone = aloneWith(http);
    const clock = { ...alone.clock, sleep: () => Promise.resolve() };
    return hetzner.open(double.credential, { ...alone, clock, baseUrl: double.url });
  };
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
  const pointer = { ...ours, type: 'CNAME', value: 'edge.example.net' } as const;
  const opened = async () => {
    const account = open();
    return { account, zone: (await account.findZone(ours.host))! };
  };
  const setsAtShop = () => double.zoneFor('example.test')!.sets.filter(({ name }) => name === 'shop');

  test('comments, labels and the zone’s TTL are restored with sets that were replaced', async () => {
    double.create('example.test').sets.push(
      { name: 'shop', type: 'A', ttl: null, labels: { team: 'web' }, protection: { change: false }, records: [{ value: '192.0.2.1', comment: 'first' }, { value: '192.0.2.2', comment: '' }] }, // prettier-ignore
      { name: 'shop', type: 'TXT', ttl: 120, labels: {}, protection: { change: false }, records: [{ value: '"theirs"', comment: 'keep' }] }, // prettier-ignore
    );
    const before = double.dump('example.test');
    const { account, zone } = await opened();
    const present = await account.records(zone, [ours.host]);
    expect(present).toMatchObject([{ ttl: 3600 }, { ttl: 3600 }, { ttl: 120 }]);
    const { removed } = await account.apply(zone, { add: [pointer], remove: present });
    expect(setsAtShop()).toMatchObject([{ type: 'CNAME' }]);
    await account.apply(zone, { add: removed as (ZoneRecord & { type: 'A' })[], remove: [pointer] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a set without remaining values takes the new TTL, and its old one on undo', async () => {
    double.addZone('example.test', [
      { name: 'shop', type: 'A', ttl: 7200, rdata: '192.0.2.1' },
      { name: 'www', type: 'CNAME', ttl: 7200, rdata: 'old' },
    ]);
    const before = double.dump('example.test');
    const { account, zone } = await opened();
    const add = [{ ...ours, type: 'A', value: '192.0.2.9' } as const, { ...pointer, host: 'www.example.test' }];
    const remove = await account.records(zone, add.map(({ host }) => host)); // prettier-ignore
    expect(remove).toMatchObject([{ value: '192.0.2.1' }, { value: 'old.example.test' }]);
    const { present, removed } = await account.apply(zone, { add, remove });
    expect(present).toMatchObject([{ ttl: 300 }, { ttl: 300 }]);
    await account.apply(zone, { add: removed as (ZoneRecord & { type: 'A' })[], remove: add });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a value that another writer added in between stays, and one that it added for us is not added twice', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 120, rdata: '"theirs"' }]);
    const { account, zone } = await opened();
    let decided = 0;
    const outcome = await account.apply(zone, {
      hosts: [ours.host],
      decide: () => {
        if (decided++ === 0) setsAtShop()[0]!.records.push({ value: '"ours"', comment: 'by hand' }, { value: '"new"', comment: '' }); // prettier-ignore
        return { add: [ours], remove: [] };
      },
    });
    expect([decided, outcome.changed]).toEqual([2, false]);
    expect(setsAtShop()[0]?.records).toHaveLength(3);
  });

  test('if the owner removes a value before ours replaces it, the change is decided again, and ours is not added to the new values', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'A', ttl: 120, rdata: '192.0.2.1' }]);
    const { account, zone } = await opened();
    const seen: string[][] = [];
    await account.apply(zone, {
      hosts: [ours.host],
      decide: (current) => {
        seen.push(current.map(({ value }) => value));
        if (seen.length > 1) return { add: [], remove: [] };
        Object.assign(setsAtShop()[0]!, { type: 'AAAA', records: [{ value: '2001:db8::1', comment: '' }] });
        return { add: [{ ...ours, type: 'A', value: '192.0.2.9' }], remove: current };
      },
    });
    expect(seen).toEqual([['192.0.2.1'], ['2001:db8::1']]);
    expect(setsAtShop()).toMatchObject([{ type: 'AAAA' }]);
  });

  test('a protected set is never changed, and secondary zones are left out', async () => {
    double.create('second.test', { mode: 'secondary' });
    double.addZone('example.test', [{ name: 'shop', type: 'A', ttl: 120, rdata: '192.0.2.1' }]);
    setsAtShop()[0]!.protection.change = true;
    const { account, zone } = await opened();
    expect(await account.verify()).toMatchObject([{ name: 'example.test', nameservers: ['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com', 'helium.ns.hetzner.de'] }]); // prettier-ignore
    expect(await account.findZone('www.second.test')).toBeUndefined();
    const remove = await account.records(zone, [ours.host]);
    await expect(account.apply(zone, { add: [pointer], remove })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('zones beyond the first page are listed', async () => {
    for (let i = 0; i < 60; i++) double.addZone(`zone${i}.test`);
    expect(await open().verify()).toHaveLength(60);
  });
});
