import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { vercel } from '../../src/providers/vercel/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start, type VercelDouble } from './doubles/vercel.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, code: string, more: object = {}) => ({
  status,
  body: JSON.stringify({ error: { code, message: `${code}, said Vercel`, ...more } }),
});

doubleConformance(vercel, start, {
  refusals: [
    {
      name: 'an unknown token reported as forbidden',
      code: 'auth_failed',
      answer: refused(403, 'forbidden', { invalidToken: true }),
    },
    { name: 'a scope that is not its own', code: 'forbidden_scope', answer: refused(403, 'forbidden') },
    { name: 'a conflict', code: 'conflict', answer: refused(409, 'record_conflict') },
    { name: 'a conflict reported as a bad request', code: 'conflict', answer: refused(400, 'record_conflict') },
    { name: 'an invalid record', code: 'validation', answer: refused(400, 'invalid_value') },
    {
      name: 'a limit with its reset time',
      code: 'rate_limited',
      retryAfterSeconds: 0,
      answer: { ...refused(429, 'rate_limited'), headers: { 'x-ratelimit-reset': '1628539494' } },
    },
  ],
});

describe('vercel in particular', () => {
  let double: VercelDouble;
  const http = uncountedHttp();
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = (credential: Record<string, string> = {}) =>
    vercel.open({ ...double.credential, ...credential }, { ...aloneWith(http), baseUrl: double.url });
  const zone = { id: 'example.test', name: 'example.test', nameservers: [] };

  test('domains and records beyond the first page are found', async () => {
    for (let i = 0; i < 230; i++) double.addZone(`z${i}.test`);
    expect(await open().verify()).toHaveLength(230);
    expect(await open().findZone('www.z0.test')).toMatchObject({
      name: 'z0.test',
      nameservers: ['ns1.vercel-dns.com', 'ns2.vercel-dns.com'],
    });
    const many = Array.from({ length: 230 }, (_, i) => ({ name: `h${i}`, type: 'A', ttl: 60, rdata: '192.0.2.1' }));
    double.addZone('example.test', many);
    expect(await open().records(zone, ['h0.example.test'])).toHaveLength(1);
  });

  test('Vercel’s own records are hidden, and a record of ours replaces them', async () => {
    double.addZone('example.test');
    const system = double.dump('example.test');
    const address = record('example.test', 'A', '192.0.2.1');
    const account = open();
    expect(await account.records(zone, ['example.test', '*.example.test'])).toEqual([]);
    await account.apply(zone, { add: [address], remove: [] });
    const pointers = double
      .served('example.test')
      .filter(({ name, type }) => name === 'example.test' && /^(A|ALIAS)$/.test(type));
    expect(pointers).toMatchObject([{ type: 'A', rdata: '192.0.2.1' }]);
    await account.apply(zone, { add: [], remove: [address] });
    expect(double.dump('example.test')).toEqual(system);
  });

  test('a record that is put back keeps its comment and its spelling', async () => {
    double.addZone('example.test', [{ name: 'www', type: 'CNAME', ttl: 900, rdata: 'Shop.Example.NET' }]);
    double.recordsOf('example.test').find(({ name }) => name === 'www')!.comment = 'the shop';
    const before = double.dump('example.test');
    const account = open();
    const address = record('www.example.test', 'A', '192.0.2.1');
    const present = await account.records(zone, ['www.example.test']);
    const { removed } = await account.apply(zone, { add: [address], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [address] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('a team that the token does not belong to is refused', async () => {
    await expect(open({ team_id: 'team_of_others' }).verify()).rejects.toMatchObject({ code: 'forbidden_scope' });
  });

  test('a CAA record with parameters is refused before it is sent', async () => {
    double.addZone('example.test');
    const caa = record('example.test', 'CAA', '0 issue "letsencrypt.org; validationmethods=dns-01"');
    await expect(open().apply(zone, { add: [caa], remove: [] })).rejects.toMatchObject({ code: 'validation' });
  });
});
