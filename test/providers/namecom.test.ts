import { namecom } from '../../src/providers/namecom/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/namecom.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (status: number, message: string, details?: string) => ({
  status,
  body: JSON.stringify({ message, details }),
});

doubleConformance(namecom, start, {
  refusals: [
    {
      name: 'a conflict reported as an argument',
      code: 'conflict',
      answer: refused(400, 'Invalid Argument', 'A CNAME record cannot share its host with other records'),
    },
    {
      name: 'an invalid record',
      code: 'validation',
      answer: refused(400, 'Invalid Argument', 'Parameter Value Error - Invalid Answer'),
    },
    {
      name: 'a domain with other name servers',
      code: 'conflict',
      answer: refused(403, 'Permission denied', 'The authoritative nameserver for example.com is not name.com'),
    },
    {
      name: 'an account that may not use the API',
      code: 'forbidden_scope',
      answer: refused(403, 'Permission denied', 'Failed authentication'),
    },
    {
      name: 'a limit with its reset time',
      code: 'rate_limited',
      retryAfterSeconds: 0,
      answer: {
        status: 429,
        headers: { 'x-ratelimit-reset': '1747668270' },
        body: JSON.stringify({ message: 'Rate Limit Exceeded' }),
      },
    },
  ],
});

test('an account with more domains than one page is read completely', async () => {
  const double = await start();
  const http = uncountedHttp();
  try {
    const account = namecom.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    for (let i = 0; i < 1_001; i++) double.addZone(`zone${i}.test`);
    expect(await account.verify()).toHaveLength(1_001);
    expect(await account.findZone('www.zone1000.test')).toMatchObject({
      name: 'zone1000.test',
      nameservers: [expect.stringMatching(/\.name\.com$/), expect.anything(), expect.anything(), expect.anything()],
    });
  } finally {
    await http.close();
    await double.stop();
  }
});

test('a record that another program wrote or removed between our read and our write is as wanted', async () => {
  const double = await start();
  const http = uncountedHttp();
  try {
    double.addZone('raced.test');
    const account = namecom.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    const zone = (await account.findZone('raced.test'))!;
    const wanted = { host: 'a.raced.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
    const gone = { ...wanted, host: 'b.raced.test' };
    await account.apply(zone, { add: [gone], remove: [] });

    const { present } = await account.apply(zone, {
      hosts: [wanted.host, gone.host],
      decide: async () => {
        const other = namecom.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
        await other.apply(zone, { add: [wanted], remove: [gone] });
        return { add: [wanted], remove: [gone] };
      },
    });

    expect(present).toMatchObject([wanted]);
    expect(double.dump('raced.test')).toHaveLength(1);
  } finally {
    await http.close();
    await double.stop();
  }
});

test('kept data is sent to name.com only with its own record', async () => {
  const double = await start();
  const http = uncountedHttp();
  try {
    double.addZone('moved.test');
    const account = namecom.open(double.credential, { ...aloneWith(http), baseUrl: double.url });
    const zone = (await account.findZone('moved.test'))!;
    const wanted = {
      host: 'a.moved.test',
      type: 'CNAME',
      value: 'edge.example.net',
      ttl: 300,
      priority: null,
    } as const;
    await account.apply(zone, { add: [{ ...wanted, extra: { answer: ['other.example.net'] } }], remove: [] });
    expect(await account.records(zone, [wanted.host])).toMatchObject([wanted]);
  } finally {
    await http.close();
    await double.stop();
  }
});
