import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { vultr } from '../../src/providers/vultr/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/vultr.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, error: string) => ({ status, body: JSON.stringify({ error, status }) });

doubleConformance(vultr, start, {
  refusals: [
    {
      name: 'an address that is not on the list',
      code: 'auth_failed',
      answer: refused(401, 'Unauthorized IP address: 192.0.2.1'),
    },
    { name: '503', code: 'rate_limited', retryAfterSeconds: 1, answer: { status: 503 } },
    {
      name: 'a conflict',
      code: 'conflict',
      answer: refused(400, 'Unable to add record: a CNAME record conflicts with another record.'),
    },
    { name: 'an invalid record', code: 'validation', answer: refused(400, 'Invalid record type.') },
  ],
});

test('a target in capitals is put back in capitals', async () => {
  const double = await start();
  const http = uncountedHttp();
  try {
    double.addZone('kept.test', [{ name: 'www', type: 'CNAME', ttl: 3600, rdata: 'Web.Example.NET.' }]);
    const before = double.dump('kept.test');
    const account = vultr.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    const zone = (await account.findZone('kept.test'))!;
    const present = await account.records(zone, ['www.kept.test']);

    const { removed } = await account.apply(zone, { add: [], remove: present });
    await account.apply(zone, { add: removed.flatMap((one) => additionOf(one) ?? []), remove: [] });

    expect(double.dump('kept.test')).toEqual(before);
  } finally {
    await http.close();
    await double.stop();
  }
});
