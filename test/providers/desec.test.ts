import { desec } from '../../src/providers/desec/adapter.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { inProcessAllowances } from '../../src/providers/toolkit/rate-limiter.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/desec.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) });

doubleConformance(desec, start, {
  refusals: [
    {
      name: 'a set of another type',
      code: 'conflict',
      answer: refused(400, [
        {},
        { non_field_errors: ['RRset with conflicting type present at same subname: database (A).'] },
      ]),
    },
    {
      name: 'a TTL that is too short',
      code: 'validation',
      answer: refused(400, [{ ttl: ['Ensure this value is greater than or equal to 3600.'] }]),
    },
    {
      name: 'a token without the permission',
      code: 'forbidden_scope',
      answer: refused(403, { detail: 'Insufficient token permissions.' }),
    },
    {
      name: 'a limit',
      code: 'rate_limited',
      retryAfterSeconds: 58,
      answer: {
        ...refused(429, { detail: 'Request was throttled. Expected available in 58 seconds.' }),
        headers: { 'retry-after': '58' },
      },
    },
  ],
});

describe('desec in particular', () => {
  const http = uncountedHttp();
  let double: ProviderDouble;
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());

  test('the changes of each domain are counted separately, and reads count for the account', async () => {
    const keys: string[] = [];
    const store = inProcessAllowances();
    const counting = providerHttp({
      allowances: { ...store, take: (key, ...more) => (keys.push(key), store.take(key, ...more)) },
    });
    double.addZone('one.test');
    double.addZone('two.test');
    const account = desec.open(double.credential, { ...aloneWith(counting), baseUrl: double.url });
    for (const name of ['one.test', 'two.test']) {
      const zone = (await account.findZone(name))!;
      await account.apply(zone, { add: [record(`www.${name}`, 'A', '192.0.2.1')], remove: [] });
    }
    const [ofAccount = '', ...others] = [...new Set(keys)];
    expect(others).toEqual([`${ofAccount} one.test`, `${ofAccount} two.test`]);
    await counting.close();
  });

  test('a change of several names is read with one request, written with one and read back with one', async () => {
    const calls: string[] = [];
    const counting = providerHttp({ onCall: ({ method }) => calls.push(method) });
    double.addZone('one.test');
    const account = desec.open(double.credential, { ...aloneWith(counting), baseUrl: double.url });
    const zone = { id: 'one.test', name: 'one.test', nameservers: [] };
    const add = ['a', 'b', 'c'].map((label) => record(`${label}.one.test`, 'A', '192.0.2.1'));
    await account.apply(zone, { add, remove: [] });
    expect(calls).toEqual(['GET', 'PATCH', 'GET']);
    await counting.close();
  });

  test('a zone with more than 500 sets is read to its end', async () => {
    const seeds = Array.from({ length: 1_200 }, (_, i) => ({
      name: `n${i}`,
      type: 'A',
      ttl: 3600,
      rdata: '192.0.2.1',
    }));
    double.addZone('large.test', seeds);
    const account = desec.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    const zone = { id: 'large.test', name: 'large.test', nameservers: [] };
    expect(await account.records(zone, ['n0.large.test', 'n600.large.test', 'n1199.large.test'])).toHaveLength(3);
  });
});
