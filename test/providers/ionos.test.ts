import { ionos } from '../../src/providers/ionos/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { start } from './doubles/ionos.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

const refused = (status: number, code: string, parameters?: object) => ({
  status,
  body: JSON.stringify([{ code, message: 'no', parameters }]),
});

doubleConformance(ionos, start, {
  refusals: [
    { name: 'an unknown key', code: 'auth_failed', answer: refused(401, 'UNAUTHORIZED') },
    { name: 'a request that is not allowed', code: 'forbidden_scope', answer: refused(403, 'FORBIDDEN_REQUEST') },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(400, 'INVALID_RECORD', { invalidFields: ['name'] }),
    },
    { name: 'no such zone', code: 'zone_not_found', answer: refused(404, 'ZONE_NOT_FOUND') },
    { name: 'an error inside IONOS', code: 'transient', answer: refused(500, 'INTERNAL_SERVER_ERROR') },
  ],
});

describe('ionos in particular', () => {
  const http = uncountedHttp();
  let double: ProviderDouble;
  beforeEach(async () => {
    double = await start();
    double.addZone('example.test');
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => ionos.open(double.credential, { ...aloneWith(http), baseUrl: double.url });

  test('a disabled record is not served: it is ignored, and stays', async () => {
    const zone = (await open().findZone('shop.example.test'))!;
    await fetch(`${double.url}/zones/${zone.id}/records`, {
      method: 'POST',
      headers: { 'x-api-key': double.credential['api_key']!, 'content-type': 'application/json' },
      body: JSON.stringify([{ name: 'shop.example.test', type: 'A', content: '192.0.2.1', ttl: 3600, disabled: true }]),
    });
    const before = double.dump('example.test');
    expect(await open().records(zone, ['shop.example.test'])).toEqual([]);

    const ours = record('shop.example.test', 'CNAME', 'edge.example.net');
    await open().apply(zone, { add: [ours], remove: [] });
    expect(double.dump('example.test')).toEqual(expect.arrayContaining(before));
    await open().apply(zone, { add: [], remove: [ours] });
    expect(double.dump('example.test')).toEqual(before);
  });

  test('an error names the fields that IONOS refuses', async () => {
    const zone = (await open().findZone('example.test'))!;
    const wrong = record('www.example.test', 'A', 'not an address');
    await expect(open().apply(zone, { add: [wrong], remove: [] })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('Record is invalid. (content)') as string,
    });
  });
});
