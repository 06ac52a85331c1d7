import type { Addition, ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { additionOf } from '../../src/domain/zone/zone-record.ts';
import type { Account, Zone } from '../../src/providers/contract.ts';
import { providerOf } from '../../src/providers/registry.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { doubledSlugs, startDoubleOf } from './every-double.ts';
import type { SeedRecord } from './lab.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const ZONE = 'example.test';
/** Records with spellings that make providers keep extra data. */
const SEEDS: readonly SeedRecord[] = [
  { name: '', type: 'TXT', ttl: 7200, rdata: '"at the " "apex"' },
  { name: 'text', type: 'TXT', ttl: 7200, rdata: '"in " "two parts"' },
  { name: 'mail', type: 'MX', ttl: 7200, rdata: '10 Mail.Example.NET.' },
  { name: 'web', type: 'A', ttl: 7200, rdata: '192.0.2.1' },
  { name: 'shop', type: 'CNAME', ttl: 7200, rdata: 'Edge.Example.NET.' },
];
const HOSTS = SEEDS.map(({ name }) => (name === '' ? ZONE : `${name}.${ZONE}`));

const http = uncountedHttp();
const doubles = new Map<string, ProviderDouble>();
const stood: Addition[] = [];

const opened = async (slug: string): Promise<{ double: ProviderDouble; account: Account; zone: Zone }> => {
  const double = doubles.get(slug)!;
  const { credential, url: baseUrl, tokenUrl } = double;
  const context = { ...aloneWith(http), baseUrl, ...(tokenUrl !== undefined && { tokenUrl }) };
  const account = providerOf(slug)!.open(credential, context);
  return { double, account, zone: (await account.findZone(ZONE))! };
};

/** The extra data that every provider keeps for these records. */
beforeAll(async () => {
  for (const slug of doubledSlugs) {
    doubles.set(slug, await startDoubleOf(slug));
    doubles.get(slug)!.addZone(ZONE, SEEDS);
    const { account, zone } = await opened(slug);
    const records = (await account.records(zone, HOSTS)).filter(({ type }) => type !== 'NS');
    stood.push(...records.flatMap((record) => additionOf(record) ?? []));
    await account.apply(zone, { add: [], remove: records });
  }
}, 120_000);
afterAll(async () => {
  await Promise.all([...doubles.values()].map((double) => double.stop()));
  await http.close();
});

const named = ({ host, type, value, priority }: Addition | ZoneRecord) => ({ host, type, value, priority });

test.each(doubledSlugs)(
  'at %s a value from another provider is put back as the same value, no matter what that provider kept for it',
  async (slug) => {
    const { double, account, zone } = await opened(slug);
    const before = double.dump(ZONE);
    for (const record of stood) {
      const { present } = await account.apply(zone, { add: [record], remove: [] });
      expect(present.map(named)).toEqual([named(record)]);
      await account.apply(zone, { add: [], remove: [record] });
      expect(double.dump(ZONE)).toEqual(before);
    }
  },
  120_000,
);

// These providers always use names relative to the zone; the others use absolute names.
test.each(['azure_dns', 'digitalocean', 'dnsimple', 'gandi', 'hetzner', 'namecheap'])(
  'at %s a name that repeats the zone’s name by mistake is not treated as the zone itself',
  async (slug) => {
    const { double, account } = await opened(slug);
    const mistake = { name: 'twice.test', type: 'TXT', ttl: 7200, rdata: '"by mistake"' };
    double.addZone('twice.test', [mistake, { ...mistake, name: '', rdata: '"at the apex"' }]);
    const before = double.dump('twice.test');
    const zone = (await account.findZone('twice.test'))!;
    const texts = async (host: string) =>
      (await account.records(zone, [host])).filter(({ type }) => type === 'TXT').map(({ value }) => value);
    expect(await texts('twice.test')).toEqual(['at the apex']);
    expect(await texts('twice.test.twice.test')).toEqual(['by mistake']);

    const ours = { host: 'twice.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
    await account.apply(zone, { add: [ours], remove: [] });
    expect(await texts('twice.test')).toEqual(['at the apex', 'ours']);
    await account.apply(zone, { add: [], remove: [ours] });
    expect(double.dump('twice.test')).toEqual(before);
  },
);
