import { godaddy } from '../../src/providers/godaddy/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/godaddy.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, body: object, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify(body),
});

doubleConformance(godaddy, start, {
  refusals: [
    {
      name: 'a record that GoDaddy manages',
      code: 'conflict',
      answer: refused(409, { name: 'dns_record_not_mutable', message: 'This record is managed by GoDaddy.' }),
    },
    {
      name: 'a conflict reported as an unprocessable entity',
      code: 'conflict',
      answer: refused(422, { name: 'RECORD_CONFLICT', message: 'A CNAME record cannot share its name.' }),
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(422, { name: 'INVALID_BODY', message: 'ttl is too small', details: [{ field: 'ttl' }] }),
    },
    {
      name: 'an account that may not use the API',
      code: 'forbidden_scope',
      answer: refused(403, { code: 'ACCESS_DENIED', message: 'Authenticated user is not allowed access' }),
    },
    {
      name: 'a limit with the time to wait in its body',
      code: 'rate_limited',
      retryAfterSeconds: 30,
      answer: refused(429, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests received', retryAfterSec: 30 }),
    },
    {
      name: 'the monthly quota, reported as a limit',
      code: 'plan_required',
      answer: refused(429, { code: 'QUOTA_EXCEEDED', message: 'The quota of this month is used up' }),
    },
    {
      name: 'a 503 with the time to wait',
      code: 'rate_limited',
      retryAfterSeconds: 17,
      answer: refused(503, {}, { 'retry-after': '17' }),
    },
  ],
});

describe('GoDaddy in particular', () => {
  const http = uncountedHttp();
  let double: Awaited<ReturnType<typeof start>>;
  const account = () => godaddy.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  const given = async (name: string) => {
    double.addZone(name);
    return (await account().findZone(name))!;
  };
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());

  test('domains and records beyond the first page are read', async () => {
    for (let i = 0; i < 101; i++) double.addZone(`zone${i}.test`);
    expect(await account().verify()).toHaveLength(101);
    const zone = (await account().findZone('www.zone100.test'))!;
    expect(zone).toMatchObject({
      name: 'zone100.test',
      nameservers: ['ns01.domaincontrol.com', 'ns02.domaincontrol.com'],
    });
  });

  test('a record that Domain Protection drops does not count as written, and the empty record in its place is removed', async () => {
    const zone = await given('protected.test');
    double.protect('protected.test');
    const before = double.dump('protected.test');
    const ours = { host: 'a.protected.test', type: 'TXT', value: 'ours', ttl: 600, priority: null } as const;
    await expect(account().apply(zone, { add: [ours], remove: [] })).rejects.toMatchObject({
      code: 'transient',
      mayHaveChanged: true,
    });
    expect(double.dump('protected.test')).toEqual(before);
  });

  test('kept data is sent back only with its own record', async () => {
    const zone = await given('moved.test');
    const wanted = {
      host: 'a.moved.test',
      type: 'CNAME',
      value: 'edge.example.net',
      ttl: 600,
      priority: null,
    } as const;
    const extra = { name: 'b', type: 'CNAME', data: 'Other.Example.NET.' };
    await account().apply(zone, { add: [{ ...wanted, extra }], remove: [] });
    expect(await account().records(zone, ['a.moved.test', 'b.moved.test'])).toMatchObject([wanted]);
  });

  test('name servers, of the zone and below it, are managed by GoDaddy', async () => {
    double.addZone('managed.test', [{ name: 'sub', type: 'NS', ttl: 3600, rdata: 'ns1.example.net.' }]);
    const zone = (await account().findZone('managed.test'))!;
    const read = await account().records(zone, ['managed.test', 'sub.managed.test']);
    expect(read.map(({ type, readOnly }) => [type, readOnly])).toEqual([
      ['NS', true],
      ['NS', true],
      ['NS', true],
    ]);
  });

  test('SRV at the apex and below it is written and read back', async () => {
    const zone = await given('srv.test');
    const add = ['_sip._tcp.srv.test', '_sip._tcp.phone.srv.test'].map((host) => ({
      ...{ host, type: 'SRV' as const, value: '5 5060 sip.example.net', ttl: 600, priority: 10 },
    }));
    expect((await account().apply(zone, { add, remove: [] })).present).toMatchObject(add);
    expect(double.served('srv.test').filter(({ type }) => type === 'SRV')).toMatchObject(
      add.map(({ host }) => ({ name: host, rdata: '10 5 5060 sip.example.net.' })),
    );
  });
});
