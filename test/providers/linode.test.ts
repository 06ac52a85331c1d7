import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { linode } from '../../src/providers/linode/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/linode.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, reason: string) => ({
  status,
  body: JSON.stringify({ errors: [{ reason, field: 'name' }] }),
});

doubleConformance(linode, start, {
  refusals: [
    { name: 'a conflict', code: 'conflict', answer: refused(400, 'Record conflict - CNAMES must be unique') },
    { name: 'an invalid record', code: 'validation', answer: refused(400, 'Invalid type') },
    {
      name: 'a token without the scope',
      code: 'forbidden_scope',
      answer: refused(403, 'Your OAuth token is not authorized to use this endpoint.'),
    },
  ],
});

describe('linode in particular', () => {
  const http = uncountedHttp();
  let double: ProviderDouble;
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => linode.open(double.credential, { ...aloneWith(http), baseUrl: double.url });

  test('SRV at the apex and below it is written at its name, and read under the name that Linode derived', async () => {
    double.addZone('srv.test');
    const zone = (await open().findZone('srv.test'))!;
    const add = ['_sip._tcp.srv.test', '_sip._tcp.phone.srv.test'].map((host) =>
      record(host, 'SRV', '5 5060 sip.example.net', { priority: 10 }),
    );
    expect((await open().apply(zone, { add, remove: [] })).present).toMatchObject(add);
    expect(double.served('srv.test').filter(({ type }) => type === 'SRV')).toMatchObject(
      add.map(({ host }) => ({ name: host, rdata: '10 5 5060 sip.example.net.' })),
    );
  });

  test.each([30, 120])('a TTL of %i seconds is stored as it is', async (ttl) => {
    double.addZone('short.test');
    const zone = (await open().findZone('short.test'))!;
    const wanted = record('www.short.test', 'A', '192.0.2.1', { ttl });
    expect((await open().apply(zone, { add: [wanted], remove: [] })).present).toMatchObject([{ ttl }]);
  });

  test('a record with the zone’s default TTL and a target in capitals is put back with both', async () => {
    double.addZone('kept.test', [{ name: 'www', type: 'CNAME', ttl: 0, rdata: 'Web.Example.NET.' }]);
    const zone = (await open().findZone('kept.test'))!;
    const before = double.dump('kept.test');
    const present = await open().records(zone, ['www.kept.test']);
    expect(present).toMatchObject([{ value: 'web.example.net', ttl: 86_400 }]);

    const { removed } = await open().apply(zone, { add: [], remove: present });
    await open().apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [] });

    expect(double.dump('kept.test')).toEqual(before);
  });
});
