import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { bunny } from '../../src/providers/bunny/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/bunny.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, ErrorKey: string, Message: string) => ({
  status,
  body: JSON.stringify({ ErrorKey, Field: 'Value', Message }),
});

doubleConformance(bunny, start, {
  refusals: [
    {
      name: 'a conflict reported as a bad request',
      code: 'conflict',
      answer: refused(400, 'dnszone.record.conflict', 'A CNAME record conflicts with another record\r'),
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(400, 'validation_error', 'Value is required\r'),
    },
    {
      name: 'a zone of another account',
      code: 'zone_not_found',
      answer: refused(404, 'dnszone.zone.not_found', 'The requested DNS zone was not found\r'),
    },
  ],
});

describe('bunny.net in particular', () => {
  const http = uncountedHttp();
  let double: ProviderDouble;
  const account = () => bunny.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  const given = async (name: string) => {
    double.addZone(name);
    return (await account().findZone(name))!;
  };
  const put = (zone: { id: string }, record: object) =>
    fetch(`${double.url}/dnszone/${zone.id}/records`, {
      method: 'PUT',
      headers: { accesskey: double.credential['access_key'] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(record),
    });
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());

  test('zones beyond the first page are read, and the zone of the host is found among similar names', async () => {
    for (let i = 0; i < 101; i++) double.addZone(`zone${i}.test`);
    for (const name of ['sub.zone100.test', 'xzone100.test', 'zone100.test.example']) double.addZone(name);
    expect(await account().verify()).toHaveLength(104);
    expect(await account().findZone('www.zone100.test')).toMatchObject({
      name: 'zone100.test',
      nameservers: ['kiki.bunny.net', 'coco.bunny.net'],
    });
    expect(await account().findZone('www.sub.zone100.test')).toMatchObject({ name: 'sub.zone100.test' });
  });

  test('a disabled record counts as absent, and an accelerated record is never replaced', async () => {
    const zone = await given('smart.test');
    await put(zone, { Type: 3, Name: 'www', Value: 'off', Disabled: true });
    await put(zone, { Type: 0, Name: 'www', Value: '192.0.2.1', Accelerated: true });
    expect(await account().records(zone, ['www.smart.test'])).toMatchObject([{ value: '192.0.2.1', readOnly: true }]);
  });

  test.each([
    ['a redirect', 5],
    ['a pull zone', 7],
    ['a script', 11],
  ])('no address is added to a name that %s serves', async (_, Type) => {
    const zone = await given('busy.test');
    await put(zone, { Type, Name: '', Value: 'https://other.example' });
    await put(zone, { Type, Name: 'www', Value: 'https://other.example' });
    const before = double.dump('busy.test');
    const address = { host: 'www.busy.test', type: 'A', value: '192.0.2.1', ttl: 300, priority: null } as const;
    const alias = { ...address, host: 'busy.test', type: 'ALIAS', value: 'edge.example.net' } as const;
    for (const wanted of [address, alias]) {
      const present = await account().records(zone, [wanted.host]);
      await expect(account().apply(zone, { add: [wanted], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
      await expect(account().apply(zone, { add: [wanted], remove: present })).rejects.toMatchObject({
        code: 'conflict',
      });
    }
    expect(double.dump('busy.test')).toEqual(before);
  });

  test('weights, routing and comments are restored with a record, and a flattened record keeps its type', async () => {
    const zone = await given('kept.test');
    const routing = { SmartRoutingType: 2, GeolocationLatitude: 52.5, GeolocationLongitude: 13.4, Weight: 7 };
    await put(zone, { Type: 0, Name: 'www', Value: '192.0.2.1', Comment: 'Berlin', ...routing });
    await put(zone, { Type: 6, Name: '', Value: 'Flat.Example.NET' });
    const before = double.dump('kept.test');
    const hosts = ['www.kept.test', 'kept.test'];
    const present = await account().records(zone, hosts);
    expect(present.map(({ type }) => type)).toEqual(['A', 'ALIAS']);

    const { removed } = await account().apply(zone, { add: [], remove: present });
    expect(double.dump('kept.test')).toEqual([]);
    await account().apply(zone, { add: removed.flatMap((record) => additionOf(record) ?? []), remove: [] });

    expect(double.dump('kept.test')).toEqual(before);
  });
});
