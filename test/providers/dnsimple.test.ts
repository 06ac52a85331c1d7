import { dnsimple } from '../../src/providers/dnsimple/adapter.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import { start, startDnsimpleDouble } from './doubles/dnsimple.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, message: string, errors?: object) => ({
  name,
  code,
  answer: { status, body: JSON.stringify({ message, errors }) },
});

doubleConformance(dnsimple, start, {
  refusals: [
    refused('an account that has not paid', 'plan_required', 402, 'Payment Required'),
    refused('a feature of another plan', 'plan_required', 412, 'The feature is not enabled for your plan'),
    refused('a token without the scope', 'forbidden_scope', 403, 'Required Scope: zones:write'),
    refused('a zone that does not exist', 'zone_not_found', 404, 'Zone `example.test` not found'),
    refused('a CNAME that is not alone', 'conflict', 400, 'Validation failed', { base: ['CNAME cannot coexist with others'] }), // prettier-ignore
    refused('an invalid record', 'validation', 400, 'Validation failed', { content: ['is not valid'] }),
    {
      name: 'a quota whose reset time counts from 1970',
      code: 'rate_limited',
      retryAfterSeconds: 0,
      answer: { status: 429, headers: { 'x-ratelimit-reset': '1531117887' }, body: '{"message":"quota exceeded"}' },
    },
    refused('504', 'transient', 504, 'Gateway timeout'),
  ],
});

describe('dnsimple in particular', () => {
  let http: ProviderHttp;
  let double: Awaited<ReturnType<typeof startDnsimpleDouble>>;
  beforeEach(async () => {
    double = await startDnsimpleDouble({ accounts: [731, 732] });
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const open = (more: Record<string, string> = {}) =>
    dnsimple.open({ ...double.credential, ...more }, { ...aloneWith(http), baseUrl: double.url });
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
  const opened = async () => ({ account: open(), zone: (await open().findZone(ours.host))! });

  test('a user’s token finds the zones of all accounts, and an account id limits it to one', async () => {
    double.addZone('example.test');
    double.create('other.test', { account: 732 });
    double.create('second.test', { secondary: true });
    double.create('off.test', { active: false });
    for (let i = 0; i < 130; i++) double.addZone(`zone${i}.example`);
    expect(await open().verify()).toHaveLength(132);
    expect(await open().findZone('www.other.test')).toEqual({
      id: '732/other.test',
      name: 'other.test',
      nameservers: [],
    });
    expect(await open({ account_id: '731' }).findZone('www.other.test')).toBeUndefined();
    expect(await open().findZone('www.second.test')).toBeUndefined();
    expect(await open().findZone('www.off.test')).toBeUndefined();
    expect(await open().findZone('a.zone129.example')).toMatchObject({ name: 'zone129.example' });
  });

  test('text without quotes is read, and is put back in its own spelling and regions', async () => {
    const { records } = double.create('raw.test');
    const like = { ...records[1]!, name: 'shop', type: 'TXT', ttl: 900, system_record: false };
    records.push({ ...like, id: 1, content: 'raw text' });
    records.push({ ...like, id: 2, content: '"in" "pieces"', regions: ['SV1', 'IAD'] });
    const before = double.dump('raw.test');
    const account = open();
    const zone = (await account.findZone('raw.test'))!;
    const pointer = { ...ours, host: 'shop.raw.test', type: 'CNAME', value: 'edge.example.net' } as const;
    const remove = await account.records(zone, [pointer.host]);
    expect(remove.map(({ value }) => value).sort()).toEqual(['inpieces', 'raw text']);
    const { removed } = await account.apply(zone, { add: [pointer], remove });
    await account.apply(zone, { add: removed as never, remove: [pointer] });
    expect(double.dump('raw.test')).toEqual(before);
  });

  test('the TXT record of an ALIAS is not treated as the owner’s, and other text can be added next to it', async () => {
    double.addZone('example.test');
    const { account, zone } = await opened();
    const alias = { ...ours, host: 'example.test', type: 'ALIAS', value: 'edge.example.net' } as const;
    const text = { ...ours, host: 'example.test' };
    const before = double.dump('example.test');
    await account.apply(zone, { add: [alias, text], remove: [] });
    expect(double.recordsOf('example.test').filter(({ type }) => type === 'TXT')).toHaveLength(2);
    const read = await account.records(zone, ['example.test']);
    expect(read.filter(({ type }) => type === 'TXT')).toMatchObject([{ value: 'ours' }]);
    await account.apply(zone, { add: [], remove: [alias, text] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a value that another program wrote since the read is not written twice, and one that it removed stays removed', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 300, rdata: '"old"' }]);
    const { account, zone } = await opened();
    const remove = await account.records(zone, [ours.host]);
    await account.apply(zone, {
      hosts: [ours.host],
      decide: async () => {
        await open()
          .apply(zone, { add: [ours], remove: [] })
          .catch(() => undefined);
        await open()
          .apply(zone, { add: [], remove })
          .catch(() => undefined);
        return { add: [ours], remove };
      },
    });
    expect(double.recordsOf('example.test').filter(({ name }) => name === 'shop')).toMatchObject([
      { content: '"ours"' },
    ]);
  });

  test('DNSimple’s own records are never changed', async () => {
    double.addZone('example.test');
    const { account, zone } = await opened();
    const servers = await account.records(zone, ['example.test']);
    expect(servers).toHaveLength(4);
    await expect(account.apply(zone, { add: [], remove: servers })).rejects.toMatchObject({ code: 'conflict' });
  });
});
