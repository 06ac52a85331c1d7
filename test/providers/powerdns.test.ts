import { additionOf } from '../../src/domain/zone/zone-record.ts';
import { powerdns } from '../../src/providers/powerdns/adapter.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { type PowerDnsSet, startPowerDnsApi } from '../support/servers/powerdns-api.ts';
import { conformance } from './conformance.ts';
import { aloneWith } from './processes.ts';
import { httpLab } from './http-lab.ts';
import type { SeedRecord } from './lab.ts';

conformance('powerdns, on a real server,', async () => {
  const server = await startPowerDnsApi();
  let count = 0;
  return httpLab(
    {
      url: server.apiUrl,
      freshZone: async (records = []) => {
        const name = `zone${++count}.example.test`;
        await server.createZone(name, setsOf(name, records));
        return { name, dump: () => server.dump(name) };
      },
      stop: server.stop,
    },
    {
      provider: powerdns,
      open: (apiUrl) => ({
        credential: { api_url: apiUrl, api_key: server.apiKey },
        stranger: { api_url: apiUrl, api_key: 'another-key-entirely' },
      }),
      secrets: [server.apiKey, 'another-key-entirely'],
      refusals: [
        {
          name: 'a conflict found by the server',
          code: 'conflict',
          answer: { status: 422, body: '{"error":"RRset x.test. IN CNAME: Conflicts with pre-existing RRset"}' },
        },
        {
          name: 'an error that repeats the key',
          code: 'validation',
          answer: { status: 422, body: `{"error":"bad ${server.apiKey}"}` },
        },
      ],
    },
  );
});

test('a disabled value of the customer survives our writes to the same set', async () => {
  const server = await startPowerDnsApi();
  const http = providerHttp();
  try {
    const records = [
      { content: '"on"', disabled: false },
      { content: '"off"', disabled: true },
    ];
    await server.createZone('example.test', [{ name: 't.example.test.', type: 'TXT', ttl: 600, records }]);
    const before = await server.dump('example.test');
    const account = powerdns.open(
      { api_url: server.apiUrl, api_key: server.apiKey },
      { ...aloneWith(http), allowPrivate: true },
    );
    const zone = { id: 'example.test.', name: 'example.test', nameservers: [] };
    const ours = { host: 't.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;

    await account.apply(zone, { add: [ours], remove: [] });
    expect(await server.dump('example.test')).toEqual(expect.arrayContaining(before));
    await account.apply(zone, { add: [], remove: [ours] });
    expect(await server.dump('example.test')).toEqual(before);
  } finally {
    await http.close();
    await server.stop();
  }
});

test('a tenant’s server at a private address is not dialled', async () => {
  const http = providerHttp();
  const open = (apiUrl: string) => powerdns.open({ api_url: apiUrl, api_key: 'key' }, aloneWith(http));
  try {
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '169.254.169.254', '10.0.0.1']) {
      await expect(open(`https://${host}:8081`).verify()).rejects.toMatchObject({ code: 'validation' });
    }
    expect(() => open('http://dns.example.com')).toThrow(/https/);
  } finally {
    await http.close();
  }
});

function setsOf(zone: string, records: readonly SeedRecord[]): PowerDnsSet[] {
  const sets = Map.groupBy(records, ({ name, type }) => `${name} ${type}`);
  return [...sets.values()].flatMap(([first, ...rest]) =>
    first
      ? {
          name: first.name === '' ? `${zone}.` : `${first.name}.${zone}.`,
          type: first.type,
          ttl: first.ttl,
          records: [first, ...rest].map(({ rdata }) => ({ content: rdata, disabled: false })),
        }
      : [],
  );
}

describe('removed records are put back as they were', () => {
  let server: Awaited<ReturnType<typeof startPowerDnsApi>>;
  const http = providerHttp();
  const zone = { id: 'example.test.', name: 'example.test', nameservers: [] };
  beforeAll(async () => {
    server = await startPowerDnsApi();
    await server.createZone('example.test', [
      { name: 'example.test.', type: 'ALIAS', ttl: 600, records: [{ content: 'old.example.net.', disabled: false }] },
      {
        name: 'shop.example.test.',
        type: 'CNAME',
        ttl: 600,
        records: [{ content: 'Old.Example.NET.', disabled: false }],
        comments: [{ content: 'the shop, ask Ada', account: 'ada' }],
      },
    ]);
  });
  afterAll(async () => {
    await http.close();
    await server.stop();
  });

  test.each(['example.test', 'shop.example.test'])('at %s: ALIAS, capitals and comments', async (host) => {
    const credential = { api_url: server.apiUrl, api_key: server.apiKey };
    const account = powerdns.open(credential, { ...aloneWith(http), allowPrivate: true });
    const before = await server.dump('example.test');
    const ours = { host, type: 'A', value: '192.0.2.9', ttl: 300, priority: null } as const;
    const present = (await account.records(zone, [host])).filter(({ type }) => type === 'ALIAS' || type === 'CNAME');

    const { removed } = await account.apply(zone, { add: [ours], remove: present });
    expect(await server.dump('example.test')).not.toEqual(before);

    await account.apply(zone, { add: removed.flatMap((record) => additionOf(record) ?? []), remove: [ours] });
    expect(await server.dump('example.test')).toEqual(before);
  });
});
