import { namecheap } from '../../src/providers/namecheap/adapter.ts';
import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { changedHosts, fromRow } from '../../src/providers/namecheap/host-rows.ts';
import { doubleConformance } from './double-conformance.ts';
import { type NamecheapDouble, start } from './doubles/namecheap.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (number: number, message: string) => ({
  status: 200,
  body: `<?xml version="1.0" encoding="utf-8"?><ApiResponse Status="ERROR" xmlns="http://api.namecheap.com/xml.response"><Errors><Error Number="${number}">${message}</Error></Errors><CommandResponse /></ApiResponse>`,
});

doubleConformance(namecheap, start, {
  isWrite: ({ path }) => path.includes('setHosts'),
  refusals: [
    { name: 'a wrong key', code: 'auth_failed', answer: refused(1011102, 'API Key is invalid') },
    {
      name: 'an address that is not on the list',
      code: 'auth_failed',
      answer: refused(1011150, 'Invalid request IP: 192.0.2.1'),
    },
    { name: 'access denied', code: 'forbidden_scope', answer: refused(4011103, 'Access denied') },
    { name: 'no such domain', code: 'zone_not_found', answer: refused(2019166, 'Domain name not found') },
    {
      name: 'a domain of another account',
      code: 'zone_not_found',
      answer: refused(2016166, 'Domain is not associated with your account'),
    },
    {
      name: 'a domain with other name servers',
      code: 'conflict',
      answer: refused(2030288, 'Domain is not using proper DNS servers'),
    },
    { name: 'an invalid record', code: 'validation', answer: refused(2015182, 'Address is invalid') },
    { name: 'a fault of Namecheap’s own', code: 'transient', answer: refused(5050900, 'Unhandled Exceptions') },
    { name: 'too many requests as 405', code: 'rate_limited', retryAfterSeconds: 60, answer: { status: 405 } },
    {
      name: 'too many requests as 200',
      code: 'rate_limited',
      retryAfterSeconds: 60,
      answer: refused(500000, 'Too many requests'),
    },
  ],
});

describe('namecheap in particular', () => {
  let double: NamecheapDouble;
  const http = uncountedHttp();
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => namecheap.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
  const ours = record('_token.example.test', 'TXT', 'ours');
  const theirs = { name: 'www', type: 'A', ttl: 7200, rdata: '192.0.2.1' };

  test('domains beyond the first page are found, and domains with other name servers are not', async () => {
    for (let i = 0; i < 230; i++) double.addZone(`z${i}.test`);
    double.domainOf('z7.test').isOurDns = false;
    expect(await open().verify()).toHaveLength(229);
    expect(await open().findZone('www.z229.test')).toMatchObject({ name: 'z229.test' });
    expect(await open().findZone('www.z7.test')).toBeUndefined();
  });

  test('a domain below a suffix of two labels is split into a label and its suffix', async () => {
    double.addZone('example.co.uk');
    const found = await open().findZone('shop.example.co.uk');
    expect(found).toMatchObject({ name: 'example.co.uk' });
    const wanted = record('shop.example.co.uk', 'CNAME', 'edge.example.net');
    await open().apply(found!, { add: [wanted], remove: [] });
    const served = double.served('example.co.uk').filter(({ name }) => name === wanted.host);
    expect(served).toMatchObject([{ type: 'CNAME', rdata: 'edge.example.net.' }]);
  });

  test.each([
    ['a type that the API cannot set', { type: 'PTR' }, {}],
    ['a record that is not active', { isActive: false }, {}],
    ['a dynamic address', { isDynamic: true }, {}],
    ['mail at Namecheap', {}, { emailType: 'OX' }],
  ])('a domain with %s is not written', async (_, row, domain) => {
    double.addZone('example.test', [theirs]);
    Object.assign(double.domainOf('example.test'), domain);
    Object.assign(double.domainOf('example.test').rows[0]!, row);
    const before = double.dump('example.test');
    await expect(open().apply(zone, { add: [ours], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('the mail setting is sent back unchanged, and is moved to MX and back only for MX records', async () => {
    double.addZone('example.test', [theirs]);
    const mx = record('example.test', 'MX', 'mail.example.net', { priority: 10 });
    const mailOf = () => double.domainOf('example.test').emailType;

    await open().apply(zone, { add: [mx], remove: [] });
    expect(mailOf()).toBe('MX');
    await open().apply(zone, { add: [], remove: [mx] });
    expect(mailOf()).toBe('NONE');

    double.domainOf('example.test').emailType = 'FWD';
    await open().apply(zone, { add: [ours], remove: [] });
    expect(mailOf()).toBe('FWD');
    await expect(open().apply(zone, { add: [mx], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a redirect conflicts with an address, and is put back as it was', async () => {
    double.addZone('example.test', [{ name: '', type: 'URL', ttl: 1799, rdata: 'http://www.Example.test/?a=1&b=2' }]);
    const before = double.dump('example.test');
    const account = open();
    const address = record('example.test', 'A', '192.0.2.7');
    await expect(account.apply(zone, { add: [address], remove: [] })).rejects.toMatchObject({ code: 'conflict' });

    const present = await account.records(zone, ['example.test']);
    const { removed } = await account.apply(zone, { add: [address], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [address] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('the comment of a record stays with it, and is restored with it', async () => {
    double.addZone('example.test', [theirs, { ...theirs, name: 'shop' }]);
    for (const row of double.domainOf('example.test').rows) Object.assign(row, { friendlyName: 'A Record', appTitle: 'site builder' }); // prettier-ignore
    const before = double.dump('example.test');
    const account = open();
    const pointer = record('shop.example.test', 'CNAME', 'edge.example.net');
    const present = await account.records(zone, [pointer.host]);
    const { removed } = await account.apply(zone, { add: [pointer], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [pointer] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a record that the write has lost is reported', async () => {
    double.addZone('example.test', [theirs]);
    const domain = double.domainOf('example.test');
    let rows = domain.rows;
    Object.defineProperty(domain, 'rows', {
      get: () => rows,
      set: (next: typeof rows) => (rows = next.filter(({ type }) => type !== 'A')),
    });
    const failure = open().apply(zone, { add: [ours], remove: [] });
    await expect(failure).rejects.toMatchObject({ code: 'conflict', mayHaveChanged: true });
    await expect(failure).rejects.toThrow(/A www 192\.0\.2\.1 \(TTL 7200\)/);
  });
});

test('without ids in the listing, one removal does not delete every row', () => {
  const row = { id: '', name: 'shop', type: 'A', address: '192.0.2.1', mxPref: 10, ttl: 1800, friendlyName: '', appTitle: '', isActive: true, isDynamic: false }; // prettier-ignore
  const other = { ...row, name: 'www' };
  const list = { isOurDns: true, emailType: 'NONE', rows: [row, other] };
  const { rows } = changedHosts({ add: [], remove: [fromRow(row, 'example.test')] }, list, 'example.test');
  expect(rows).toEqual([other]);
});
