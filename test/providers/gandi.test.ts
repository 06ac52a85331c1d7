import { gandi } from '../../src/providers/gandi/adapter.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import { start, startGandiDouble } from './doubles/gandi.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, body: object) => ({
  name,
  code,
  answer: { status, body: JSON.stringify(body) },
});
const fault = (description: string) => ({
  status: 'error',
  errors: [{ location: 'body', name: 'items', description }],
});

doubleConformance(gandi, start, {
  refusals: [
    refused('a token that is unknown or has expired', 'auth_failed', 401, { code: 401, message: 'no', object: 'HTTPUnauthorized', cause: 'Unauthorized' }), // prettier-ignore
    refused('a token without the permission', 'forbidden_scope', 403, { code: 403, message: 'Access was denied to this resource.', object: 'HTTPForbidden', cause: 'Forbidden' }), // prettier-ignore
    refused('a CNAME that is not alone', 'conflict', 400, fault('A CNAME record cannot coexist with other records')),
    refused('an invalid record', 'validation', 400, fault('"x" is not a valid address')),
  ],
});

describe('gandi in particular', () => {
  let http: ProviderHttp;
  let double: Awaited<ReturnType<typeof startGandiDouble>>;
  beforeEach(async () => {
    double = await startGandiDouble();
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const opened = async () => {
    const account = gandi.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    return { account, zone: (await account.findZone('shop.example.test'))! };
  };
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;

  test('targets without a trailing dot are relative to the zone, and keep their spelling', async () => {
    double.addZone('example.test', [
      { name: 'shop', type: 'CNAME', ttl: 300, rdata: 'www' },
      { name: '', type: 'MX', ttl: 300, rdata: '10 mail' },
      { name: '', type: 'MX', ttl: 300, rdata: '20 @' },
    ]);
    const before = double.dump('example.test');
    const { account, zone } = await opened();
    expect(await account.records(zone, ['shop.example.test', 'example.test'])).toMatchObject([
      { type: 'CNAME', value: 'www.example.test' },
      { type: 'MX', value: 'mail.example.test', priority: 10 },
      { type: 'MX', value: 'example.test', priority: 20 },
    ]);
    const mx = { ...ours, host: 'example.test', type: 'MX', value: 'mx.example.net', priority: 30 } as const;
    const pointer = { ...ours, type: 'CNAME', value: 'edge.example.net' } as const;
    const remove = await account.records(zone, ['shop.example.test']);
    const { removed } = await account.apply(zone, { add: [mx, pointer], remove });
    await account.apply(zone, { add: removed as never, remove: [mx, pointer] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a set that another program created since the read is read again, not overwritten', async () => {
    double.addZone('example.test');
    const { account, zone } = await opened();
    let decided = 0;
    await account.apply(zone, {
      hosts: [ours.host],
      decide: () => {
        if (decided++ === 0)
          double.sets('example.test').push({ rrset_name: 'shop', rrset_type: 'TXT', rrset_ttl: 900, rrset_values: ['"theirs"'] }); // prettier-ignore
        return { add: [ours], remove: [] };
      },
    });
    expect(decided).toBe(2);
    expect(double.sets('example.test')).toMatchObject([{ rrset_ttl: 900, rrset_values: ['"theirs"', '"ours"'] }]);
  });

  test('a token for one domain finds it for names below, and gets a permission error for another domain', async () => {
    const limited = await startGandiDouble({ limitedTo: ['example.test'] });
    try {
      limited.addZone('example.test');
      const account = gandi.open(limited.credential, { ...aloneWith(http), baseUrl: limited.url });
      expect(await account.findZone('a.shop.example.test')).toMatchObject({ name: 'example.test' });
      await expect(account.findZone('www.other.test')).rejects.toMatchObject({ code: 'forbidden_scope' });
    } finally {
      await limited.stop();
    }
  });

  test('record sets and domains beyond the first page are seen', async () => {
    const seed = Array.from({ length: 620 }, (_, i) => ({ name: `h${i}`, type: 'A', ttl: 300, rdata: '192.0.2.1' }));
    double.addZone('example.test', seed);
    for (let i = 0; i < 520; i++) double.addZone(`zone${i}.test`);
    const { account, zone } = await opened();
    expect(await account.records(zone, ['h619.example.test'])).toHaveLength(1);
    expect(await account.verify()).toHaveLength(521);
  });
});
