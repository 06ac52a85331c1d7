import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { netlify } from '../../src/providers/netlify/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { type NetlifyDouble, start } from './doubles/netlify.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, more: object) => ({ status, body: JSON.stringify({ code: status, ...more }) });

doubleConformance(netlify, start, {
  refusals: [
    {
      name: 'a conflict reported by field',
      code: 'conflict',
      answer: refused(422, { errors: { hostname: ['has already been taken'] } }),
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(422, { message: 'value is invalid', errors: { value: ['is invalid'] } }),
    },
    {
      name: 'a limit with its reset time',
      code: 'rate_limited',
      retryAfterSeconds: 0,
      answer: { ...refused(429, { message: 'rate limited' }), headers: { 'x-ratelimit-reset': '1700000000' } },
    },
  ],
});

describe('netlify in particular', () => {
  let double: NetlifyDouble;
  const http = uncountedHttp();
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => netlify.open(double.credential, { ...aloneWith(http), baseUrl: double.url });

  test('zones beyond the first page are found, with their name servers', async () => {
    for (let i = 0; i < 230; i++) double.addZone(`z${i}.test`);
    expect(await open().verify()).toHaveLength(230);
    expect(await open().findZone('www.z229.test')).toMatchObject({
      name: 'z229.test',
      nameservers: expect.arrayContaining(['dns1.p05.nsone.net']) as unknown,
    });
  });

  test('a record of a Netlify site accepts no address next to it and is not removed', async () => {
    double.addZone('example.test', [{ name: 'www', type: 'NETLIFY', ttl: 3600, rdata: 'shop.netlify.app' }]);
    double.recordsOf('example.test')[0]!.managed = true;
    const account = open();
    const zone = (await account.findZone('example.test'))!;
    const [site] = await account.records(zone, ['www.example.test']);
    expect(site).toMatchObject({ type: 'ALIAS', value: 'shop.netlify.app', readOnly: true });

    const address = record('www.example.test', 'A', '192.0.2.1');
    for (const remove of [[], [site!]])
      await expect(account.apply(zone, { add: [address], remove })).rejects.toMatchObject({ code: 'conflict' });
    expect(double.recordsOf('example.test')).toHaveLength(1);
  });

  test('a record that is put back keeps its own spelling', async () => {
    double.addZone('example.test', [{ name: 'www', type: 'CNAME', ttl: 900, rdata: 'Shop.Example.NET' }]);
    const before = double.dump('example.test');
    const account = open();
    const zone = (await account.findZone('example.test'))!;
    const address = record('www.example.test', 'A', '192.0.2.1');
    const present = await account.records(zone, ['www.example.test']);
    const { removed } = await account.apply(zone, { add: [address], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [address] });
    expect(double.dump('example.test')).toEqual(before);
  });
});
