import { additionOf, type Addition } from '../../src/domain/zone-record.ts';
import type { Account, Zone } from '../../src/providers/contract.ts';
import { providerOf } from '../../src/providers/registry.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { doubledSlugs, startDoubleOf } from './every-double.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const ZONE = 'example.test';
/** Spelled so that every provider which remembers spellings remembers these. */
const THEIRS = [
  { name: 'shop', type: 'CNAME', ttl: 3600, rdata: 'Edge.Example.NET.' },
  { name: 'mail', type: 'MX', ttl: 3600, rdata: '10 Mail.Example.NET.' },
  { name: '_token', type: 'TXT', ttl: 3600, rdata: '"theirs, in " "two parts"' },
];
const HOSTS = THEIRS.map(({ name }) => `${name}.${ZONE}`);

const http = uncountedHttp();
const doubles = new Map<string, ProviderDouble>();
const read = new Map<string, Addition[]>();

const open = (slug: string): Account => {
  const { credential, url: baseUrl, tokenUrl } = doubles.get(slug)!;
  const context = { ...aloneWith(http), baseUrl, ...(tokenUrl === undefined ? {} : { tokenUrl }) };
  return providerOf(slug)!.open(credential, context);
};
const zoneAt = async (slug: string, name: string): Promise<Zone> => {
  doubles.get(slug)!.addZone(name);
  return (await open(slug).findZone(name))!;
};

beforeAll(async () => {
  for (const slug of doubledSlugs) doubles.set(slug, await startDoubleOf(slug));
  for (const slug of doubledSlugs) {
    doubles.get(slug)!.addZone(ZONE, THEIRS);
    const zone = (await open(slug).findZone(ZONE))!;
    const records = await open(slug).records(zone, HOSTS);
    read.set(slug, records.flatMap((record) => additionOf(record) ?? [])); // prettier-ignore
  }
});
afterAll(async () => {
  await http.close();
  await Promise.all([...doubles.values()].map((double) => double.stop()));
});

/** A zone that moved to another provider is put back there from what the first one kept beside its records. */
test.each(doubledSlugs)('records that stood at another provider can be put back at %s', async (slug) => {
  const account = open(slug);
  for (const from of doubledSlugs.filter((other) => other !== slug)) {
    const name = `from-${from.replaceAll('_', '-')}.test`;
    const add = read.get(from)!.map((addition) => ({ ...addition, host: addition.host.replace(ZONE, name) }));
    const zone = await zoneAt(slug, name);
    await account.apply(zone, { add, remove: [] });
    const standing = await account.records(zone, add.map(({ host }) => host)); // prettier-ignore
    const told = standing.map(({ host, type, value, ttl, priority }) => ({ host, type, value, ttl, priority }));
    expect([from, ...told.sort(byHost)]).toEqual([from, ...add.map(({ extra: _, ...plain }) => plain).sort(byHost)]);
  }
});

const byHost = (a: { host: string }, b: { host: string }): number => (a.host < b.host ? -1 : 1);
