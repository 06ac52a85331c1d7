import { ovh } from '../../src/providers/ovh/adapter.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { signOvh } from '../../src/providers/ovh/signature.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start, startWith } from './doubles/ovh.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, errorCode: string, message: string) => ({
  status,
  body: JSON.stringify({ errorCode, httpCode: `${status}`, message }),
});

doubleConformance(ovh, (options) => startWith('apex', options), { variant: ' with an exact filter' });

doubleConformance(ovh, start, {
  refusals: [
    {
      name: 'an invalid signature reported as a bad request',
      code: 'auth_failed',
      answer: refused(400, 'INVALID_SIGNATURE', 'Invalid signature'),
    },
    {
      name: 'an unknown key reported as forbidden',
      code: 'auth_failed',
      answer: refused(403, 'INVALID_CREDENTIAL', 'This credential is not valid'),
    },
    {
      name: 'a right that was not granted',
      code: 'forbidden_scope',
      answer: refused(403, 'NOT_GRANTED_CALL', 'This call has not been granted'),
    },
    {
      name: 'clocks that differ',
      code: 'transient',
      answer: refused(400, 'QUERY_TIME_OUT', 'Query out of time'),
    },
    {
      name: 'a service that has expired',
      code: 'plan_required',
      answer: { status: 460, body: JSON.stringify({ class: 'Client::Expired', message: 'This service is expired' }) },
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: { status: 400, body: JSON.stringify({ class: 'Client::BadRequest', message: 'Invalid target' }) },
    },
  ],
});

/** From the tests of OVHcloud's own client for Go. */
test.each([
  ['GET', undefined, '$1$e9556054b6309771395efa467c22e627407461ad'],
  ['POST', '{"a":"b","c":"d"}', '$1$ec2fb5c7a81f64723c77d2e5b609ae6f58a84fc1'],
  ['PUT', '{"a":"b","c":"d"}', '$1$8a75a9e7c8e7296c9dbeda6a2a735eb6bd58ec4b'],
  ['DELETE', undefined, '$1$a1eecd00b3b02b6cf5708b84b9ff42059a950d85'],
])('a %s is signed as OVHcloud publishes', (method, body, signature) => {
  const key = {
    applicationKey: 'TDPKJdwZwAQPwKX2',
    applicationSecret: '9ufkBmLaTQ9nz5yMUlg79taH0GNnzDjk',
    consumerKey: '5mBuy6SUQcRw2ZUxg0cG68BoDKpED4KY',
  };
  const signed = signOvh({ method, url: 'https://eu.api.ovh.com/1.0/auth', body }, key, 1457018875);
  expect(signed['x-ovh-signature']).toBe(signature);
});

describe('ovh in particular', () => {
  let double: ProviderDouble;
  const http = uncountedHttp();
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = (clockAheadMs = 0) => {
    const context = aloneWith(http);
    const clock = { ...context.clock, now: () => Date.now() + clockAheadMs };
    return ovh.open(double.credential, { ...context, clock, baseUrl: double.url });
  };
  const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
  const ours = record('shop.example.test', 'TXT', 'ours');

  test('written records are served, even if an earlier call wrote them and did not refresh', async () => {
    double.addZone('example.test');
    const servedAt = () => double.served('example.test').filter(({ name }) => name === ours.host);
    await open().apply(zone, { add: [ours], remove: [] });
    expect(servedAt()).toMatchObject([{ type: 'TXT', rdata: '"ours"', ttl: ours.ttl }]);

    const key = { applicationKey: double.credential['application_key']!, applicationSecret: double.credential['application_secret']!, consumerKey: double.credential['consumer_key']! }; // prettier-ignore
    const request = {
      method: 'POST',
      url: `${double.url}/domain/zone/example.test/record`,
      body: JSON.stringify({ fieldType: 'TXT', subDomain: 'late', target: '"late"', ttl: 3600 }),
    };
    await fetch(request.url, { ...request, headers: signOvh(request, key, Math.floor(Date.now() / 1_000)) });
    expect(double.served('example.test').map(({ rdata }) => rdata)).not.toContain('"late"');
    const late = record('late.example.test', 'TXT', 'late');
    expect(await open().apply(zone, { add: [late], remove: [] })).toMatchObject({ changed: false });
    expect(double.served('example.test').map(({ rdata }) => rdata)).toContain('"late"');
  });

  test('a clock that is an hour ahead of OVHcloud’s does not matter', async () => {
    double.addZone('example.test');
    expect(await open(3_600_000).findZone('www.example.test')).toMatchObject({
      name: 'example.test',
      nameservers: ['dns19.ovh.net', 'ns19.ovh.net'],
    });
  });

  test('OVHcloud’s own text types, names without a dot and default TTLs are read as served and put back unchanged', async () => {
    double.addZone('example.test', [
      { name: '_dmarc', type: 'DMARC', ttl: 0, rdata: 'v=DMARC1;p=none' },
      { name: 'www', type: 'CNAME', ttl: 0, rdata: 'Web' },
    ]);
    const before = double.dump('example.test');
    const account = open();
    const present = await account.records(zone, ['_dmarc.example.test', 'www.example.test']);
    expect(present).toMatchObject([
      { type: 'TXT', value: 'v=DMARC1;p=none', ttl: 3600 },
      { type: 'CNAME', value: 'web.example.test', ttl: 3600 },
    ]);

    const { removed } = await account.apply(zone, { add: [], remove: present });
    expect(double.dump('example.test')).toHaveLength(2);
    const back = removed.map(({ host, type, value, ttl, priority, extra }) => ({ host, type: type as 'TXT', value, ttl, priority, extra })); // prettier-ignore
    await account.apply(zone, { add: back, remove: [] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a name that the loose filter also returns is not mistaken for the requested one', async () => {
    double.addZone('example.test', [{ name: 'xacme', type: 'TXT', ttl: 600, rdata: '"theirs"' }]);
    expect(await open().records(zone, ['_acme.example.test'])).toEqual([]);
  });

  test('an apply at the apex reads each record of another name once, and changes none of them', async () => {
    const others = Array.from({ length: 30 }, (_, i) => ({ name: `n${i}`, type: 'A', ttl: 600, rdata: '192.0.2.1' }));
    double.addZone('example.test', others);
    const paths: string[] = [];
    const counting = providerHttp({ onCall: ({ path }) => paths.push(path) });
    const account = ovh.open(double.credential, { ...aloneWith(counting), baseUrl: double.url });
    const before = double.dump('example.test');

    const apex = record('example.test', 'A', '192.0.2.7');
    await account.apply(zone, { add: [apex], remove: [record('example.test', 'A', '192.0.2.1')] });
    const reads = paths.filter((path) => /\/record\/\d+$/.test(path));
    expect(reads.length).toBeLessThanOrEqual(others.length + 5);
    expect(double.dump('example.test')).toEqual(expect.arrayContaining(before));
    expect(double.dump('example.test')).toHaveLength(before.length + 1);

    await account.apply(zone, { add: [], remove: [apex] });
    expect(double.dump('example.test')).toEqual(before);
    await counting.close();
  });

  test('a region that does not exist is refused before any request', () => {
    const credential = { ...double.credential, endpoint: 'ovh-mars' };
    expect(() => ovh.open(credential, aloneWith(http))).toThrow(/ovh-eu, ovh-ca, ovh-us/);
  });
});
