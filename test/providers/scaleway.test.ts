import { scaleway } from '../../src/providers/scaleway/adapter.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/scaleway.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, type: string, more: object = {}) => ({
  status,
  body: JSON.stringify({ type, message: type, ...more }),
});

doubleConformance(scaleway, start, {
  refusals: [
    { name: 'an unknown key as forbidden', code: 'auth_failed', answer: refused(403, 'denied_authentication') },
    { name: 'a missing right', code: 'forbidden_scope', answer: refused(403, 'permissions_denied') },
    { name: 'a quota', code: 'plan_required', answer: refused(403, 'quotas_exceeded') },
    { name: 'a zone that is being changed', code: 'transient', answer: refused(409, 'transient_state') },
    {
      name: 'bad input',
      code: 'validation',
      answer: refused(400, 'invalid_arguments', { details: [{ argument_name: 'ttl', help_message: 'is too short' }] }),
    },
    { name: 'no such zone', code: 'zone_not_found', answer: refused(404, 'not_found', { resource: 'zone' }) },
  ],
});

describe('scaleway in particular', () => {
  const http = uncountedHttp();
  let double: ProviderDouble;
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => scaleway.open(double.credential, { ...aloneWith(http), baseUrl: double.url });

  test('a part of a domain that is a zone of its own is found before the domain', async () => {
    double.addZone('example.test');
    double.addZone('eu.example.test');
    expect(await open().findZone('shop.eu.example.test')).toMatchObject({
      name: 'eu.example.test',
      nameservers: ['ns0.dom.scw.cloud', 'ns1.dom.scw.cloud'],
    });
    expect(await open().findZone('shop.example.test')).toMatchObject({ name: 'example.test' });
  });

  /** Adds a record as its owner does. */
  const add = (record: object) =>
    fetch(`${double.url}/dns-zones/example.test/records`, {
      method: 'PATCH',
      headers: { 'x-auth-token': double.credential['secret_key']!, 'content-type': 'application/json' },
      body: JSON.stringify({ changes: [{ add: { records: [record] } }] }),
    });

  test('a dynamic record is never changed', async () => {
    double.addZone('example.test');
    const zone = (await open().findZone('example.test'))!;
    const weighted_config = { weighted_ips: [{ ip: '192.0.2.1', weight: 10 }] };
    await add({ name: 'shop', type: 'A', data: '192.0.2.1', ttl: 600, weighted_config });
    const present = await open().records(zone, ['shop.example.test']);
    expect(present).toMatchObject([{ readOnly: true }]);
    await expect(open().apply(zone, { add: [], remove: present })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a change is one request, and a record that is put back keeps its comment', async () => {
    double.addZone('example.test');
    const zone = (await open().findZone('example.test'))!;
    await add({ name: 'shop', type: 'A', data: '192.0.2.1', ttl: 600, comment: 'the web server' });
    const before = double.dump('example.test');
    const calls: string[] = [];
    const counting = providerHttp({ onCall: ({ method }) => calls.push(method) });
    const account = scaleway.open(double.credential, { ...aloneWith(counting), baseUrl: double.url });
    const present = await account.records(zone, ['shop.example.test']);

    calls.length = 0;
    const ours = record('shop.example.test', 'CNAME', 'edge.example.net');
    await account.apply(zone, { add: [ours], remove: present });
    expect(calls).toEqual(['GET', 'PATCH', 'GET']);

    const { host, value, ttl, priority, extra } = present[0]!;
    await account.apply(zone, { add: [{ host, type: 'A', value, ttl, priority, extra }], remove: [ours] });
    expect(double.dump('example.test')).toEqual(before);
    await counting.close();
  });
});
