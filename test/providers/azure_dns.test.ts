import { azureDns } from '../../src/providers/azure_dns/adapter.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import { start, startAzureDouble } from './doubles/azure_dns.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, body: object) => ({
  name,
  code,
  answer: { status, body: JSON.stringify(body) },
});
const pending = 'Another operation is pending for requested object. The operation is queued.';

doubleConformance(azureDns, start, {
  refusals: [
    refused('a role that is not sufficient', 'forbidden_scope', 403, { error: { code: 'AuthorizationFailed', message: 'no' } }), // prettier-ignore
    refused('a conflict with a record', 'conflict', 409, { code: 'Conflict', message: 'another record exists' }),
    refused('another change in progress, which is 409 too', 'transient', 409, { code: 'Conflict', message: pending }), // prettier-ignore
    refused('a lock on the zone', 'forbidden_scope', 409, { error: { code: 'ScopeLocked', message: 'locked' } }),
    refused('a subscription that no longer exists', 'zone_not_found', 404, { error: { code: 'SubscriptionNotFound' } }),
    refused('bad input', 'validation', 400, { code: 'BadRequest', message: 'no' }),
    refused('throttling inside a gateway error', 'rate_limited', 429, { error: { code: 'SubscriptionRequestsThrottled', message: 'slow' } }), // prettier-ignore
  ],
});

describe('azure dns in particular', () => {
  let http: ProviderHttp;
  let double: Awaited<ReturnType<typeof startAzureDouble>>;
  beforeEach(async () => {
    double = await startAzureDouble();
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const open = (more: Record<string, string> = {}) =>
    azureDns.open({ ...double.credential, ...more }, { ...aloneWith(http), baseUrl: double.url, tokenUrl: double.tokenUrl }); // prettier-ignore
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
  const pointer = { ...ours, type: 'CNAME', value: 'edge.example.net' } as const;
  const txtSet = () => double.setsOf('example.test').find(({ type }) => type === 'TXT')!;

  test('a set that was changed since it was read is not overwritten, and is read again', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 60, rdata: '"theirs"' }]);
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    expect(zone.nameservers).toContain('ns1-05.azure-dns.com');
    let decided = 0;
    await account.apply(zone, {
      hosts: [ours.host],
      decide: () => {
        if (decided++ === 0) Object.assign(txtSet(), { etag: 'of another writer', values: [...txtSet().values, { value: ['just now'] }] }); // prettier-ignore
        return { add: [ours], remove: [] };
      },
    });
    expect(decided).toBe(2);
    expect(txtSet().values).toEqual([{ value: ['theirs'] }, { value: ['just now'] }, { value: ['ours'] }]);
  });

  test('metadata of a set stays when a value is added, and is restored with a set that was replaced', async () => {
    double.addZone('example.test', [
      { name: 'shop', type: 'A', ttl: 60, rdata: '192.0.2.1' },
      { name: 'shop', type: 'TXT', ttl: 60, rdata: '"theirs"' },
    ]);
    for (const set of double.setsOf('example.test')) Object.assign(set, { metadata: { owner: 'billing' } });
    const before = double.dump('example.test');
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    await account.apply(zone, { add: [ours], remove: [] });
    expect(txtSet().metadata).toEqual({ owner: 'billing' });
    const present = await account.records(zone, [ours.host]);
    const { removed } = await account.apply(zone, { add: [pointer], remove: present });
    expect(removed).toHaveLength(3);
    await account.apply(zone, { add: removed as never, remove: [pointer] });
    await account.apply(zone, { add: [], remove: [ours] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('an alias set is never changed', async () => {
    double.addZone('example.test');
    const alias = { name: 'shop', type: 'A', etag: 'e', ttl: 60, values: [], target: '/subscriptions/s/ip' };
    double.create('example.test', 'other').sets.push(alias);
    const account = open({ resource_group: 'other' });
    const zone = (await account.findZone(ours.host))!;
    const remove = await account.records(zone, [ours.host]);
    expect(remove).toMatchObject([{ type: 'ALIAS', readOnly: true }]);
    await expect(account.apply(zone, { add: [pointer], remove })).rejects.toMatchObject({ code: 'conflict' });
    await expect(account.apply(zone, { add: [pointer], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a zone in two resource groups is never guessed; the credential must name the group', async () => {
    double.addZone('example.test');
    double.create('example.test', 'Other');
    await expect(open().findZone(ours.host)).rejects.toMatchObject({ code: 'conflict' });
    expect((await open({ resource_group: 'other' }).findZone(ours.host))?.id).toContain('/Other/');
  });

  test('record sets beyond the first page are seen', async () => {
    const seed = Array.from({ length: 130 }, (_, i) => ({ name: `h${i}`, type: 'A', ttl: 60, rdata: '192.0.2.1' }));
    double.addZone('example.test', seed);
    const zone = (await open().findZone(ours.host))!;
    expect(await open().records(zone, ['h129.example.test'])).toHaveLength(1);
  });

  test('if a replacement set is refused, the replaced set is unchanged', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'A', ttl: 60, rdata: '192.0.2.1' }]);
    Object.assign(
      double.setsOf('example.test').find(({ type }) => type === 'A')!,
      { metadata: { owner: 'billing' } },
    );
    const before = double.dump('example.test');
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    const remove = await account.records(zone, [ours.host]);
    // A TTL of zero, which a value that is put back may have, is refused by Azure at the last call.
    const add = [{ ...pointer, ttl: 0, extra: null }];
    await expect(account.apply(zone, { add, remove })).rejects.toMatchObject({
      code: 'validation',
      mayHaveChanged: true,
    });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('while Azure is busy with one set, the next is sent again, so that an exchange never leaves a name without records', async () => {
    const slow = await startAzureDouble({ busyFor: 2 });
    try {
      slow.addZone('example.test', [{ name: 'shop', type: 'A', ttl: 60, rdata: '192.0.2.1' }]);
      const before = slow.dump('example.test');
      const alone = aloneWith(http);
      const clock = { ...alone.clock, sleep: () => Promise.resolve() };
      const account = azureDns.open(slow.credential, { ...alone, clock, baseUrl: slow.url, tokenUrl: slow.tokenUrl });
      const zone = (await account.findZone(ours.host))!;
      const { removed } = await account.apply(zone, {
        add: [pointer],
        remove: await account.records(zone, [ours.host]),
      });
      expect(slow.setsOf('example.test').map(({ type }) => type)).toEqual(['NS', 'CNAME']);
      await account.apply(zone, { add: removed as never, remove: [pointer] });
      expect(slow.dump('example.test')).toEqual(before);
    } finally {
      await slow.stop();
    }
  });

  test('a set whose values cannot be read is not treated as empty and overwritten', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 60, rdata: '"theirs"' }]);
    txtSet().values.push({ value: [null as never] });
    const before = double.dump('example.test');
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    await expect(account.apply(zone, { add: [ours], remove: [] })).rejects.toMatchObject({ code: 'transient' });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('text beyond ASCII is split between characters', async () => {
    double.addZone('example.test');
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    await account.apply(zone, { add: [{ ...ours, value: '世'.repeat(100) }], remove: [] });
    expect(txtSet().values).toEqual([{ value: ['世'.repeat(85), '世'.repeat(15)] }]);
  });
});
