import { digitalocean } from '../../src/providers/digitalocean/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/digitalocean.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, id: string, message: string) => ({ status, body: JSON.stringify({ id, message }) });

doubleConformance(digitalocean, start, {
  refusals: [
    {
      name: 'a conflict reported as an unprocessable entity',
      code: 'conflict',
      answer: refused(422, 'unprocessable_entity', 'CNAME records cannot share a name with other records'),
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(422, 'unprocessable_entity', 'IP address did not match IPv4 format.'),
    },
    {
      name: 'a token without the scope',
      code: 'forbidden_scope',
      answer: refused(403, 'forbidden', 'You are not authorized'),
    },
  ],
});

describe('digitalocean in particular', () => {
  const http = uncountedHttp();
  let double: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => {
    double = await start();
  });
  afterEach(() => double.stop());
  afterAll(() => http.close());
  const open = () => digitalocean.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;

  test('a record that its owner deleted during our write does not count as removed by us, and the rest is tried again', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 300, rdata: '"old"' }]);
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    const remove = await account.records(zone, [ours.host]);
    const attempt = account.apply(zone, {
      hosts: [ours.host],
      decide: async () => {
        // Another program, which does not use our lock.
        await open().apply(zone, { add: [], remove });
        return { add: [ours], remove };
      },
    });
    await expect(attempt).rejects.toMatchObject({ code: 'transient', mayHaveChanged: true });
    expect(await account.apply(zone, { add: [ours], remove })).toMatchObject({ changed: false, removed: [] });
    expect(await account.records(zone, [ours.host])).toMatchObject([{ value: 'ours' }]);
  });

  test('a CAA value keeps its capitals, which matter after the name of the issuer', async () => {
    double.addZone('example.test');
    const account = open();
    const zone = (await account.findZone('example.test'))!;
    const caa = {
      ...ours,
      host: 'example.test',
      type: 'CAA',
      value: '0 iodef "mailto:Security@example.test"',
    } as const;
    const { present } = await account.apply(zone, { add: [caa], remove: [] });
    expect(present).toMatchObject([{ value: caa.value }]);
  });
});
