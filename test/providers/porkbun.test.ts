import { porkbun } from '../../src/providers/porkbun/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { type ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/porkbun.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, message: string) => ({ status, body: JSON.stringify({ status: 'ERROR', message }) });

doubleConformance(porkbun, start, {
  isWrite: ({ path }) => /\/dns\/(create|edit|delete)/.test(path),
  refusals: [
    {
      name: 'an unknown key, reported as 400',
      code: 'auth_failed',
      answer: refused(400, 'Invalid API key. (001)'),
    },
    {
      name: 'a domain without API access',
      code: 'forbidden_scope',
      answer: refused(400, 'Domain is not opted in to API access.'),
    },
    { name: 'a domain of another account', code: 'zone_not_found', answer: refused(400, 'Invalid domain.') },
    {
      name: 'a conflict, reported as inability',
      code: 'conflict',
      answer: refused(400, 'Create error: We were unable to create the DNS record.'),
    },
    { name: 'a refusal reported as success', code: 'auth_failed', answer: refused(200, 'Invalid API key. (002)') },
    { name: '503', code: 'rate_limited', retryAfterSeconds: 2, answer: { status: 503 } },
    {
      name: '503 with seconds',
      code: 'rate_limited',
      retryAfterSeconds: 17,
      answer: { status: 503, headers: { 'retry-after': '17' } },
    },
  ],
});

describe('Porkbun in particular', () => {
  let double: ProviderDouble;
  const http = uncountedHttp();
  const account = () => porkbun.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());

  test('an account with more than a thousand domains is read completely', async () => {
    for (let i = 0; i < 1_001; i++) double.addZone(`zone${i}.test`);
    expect(await account().verify()).toHaveLength(1_001);
    expect(await account().findZone('www.zone1000.test')).toMatchObject({ name: 'zone1000.test' });
  });

  test('a parked name may be replaced; a name that is forwarded to a URL and the zone’s name servers may not', async () => {
    double.addZone('parked.test', [
      { name: '', type: 'ALIAS', ttl: 600, rdata: 'pixie.porkbun.com.' },
      { name: 'www', type: 'CNAME', ttl: 600, rdata: 'uixie.porkbun.com.' },
    ]);
    const zone = (await account().findZone('parked.test'))!;
    const read = await account().records(zone, ['parked.test', 'www.parked.test']);
    expect(read.filter(({ readOnly }) => readOnly).map(({ type }) => type)).toEqual(['NS', 'NS', 'NS', 'NS', 'CNAME']);
    expect(read).toContainEqual(expect.objectContaining({ type: 'ALIAS', readOnly: false }));
  });

  test('a record is put back with its notes and its spelling', async () => {
    double.addZone('noted.test');
    const post = (path: string, body: object) =>
      fetch(`${double.url}${path}`, {
        method: 'POST',
        body: JSON.stringify({
          apikey: double.credential['api_key'],
          secretapikey: double.credential['secret_api_key'],
          ...body,
        }),
      });
    await post('/dns/create/noted.test', {
      name: 'shop',
      type: 'CNAME',
      content: 'Old.Example.NET',
      ttl: 7200,
      notes: 'the old shop',
    });
    const before = double.dump('noted.test');
    const zone = (await account().findZone('noted.test'))!;
    const old = await account().records(zone, ['shop.noted.test']);

    const { removed } = await account().apply(zone, { add: [], remove: old });
    expect(double.dump('noted.test')).toHaveLength(before.length - 1);
    const add = removed.map(({ host, value, ttl, extra }) => ({
      ...{ host, type: 'CNAME' as const, value, ttl, extra, priority: null },
    }));
    await account().apply(zone, { add, remove: [] });

    expect(double.dump('noted.test')).toEqual(before);
  });
});
