import { randomUUID } from 'node:crypto';
import type { ZoneRecord } from '../../../src/domain/zone/zone-record.ts';
import { accountByRecord } from '../../../src/providers/toolkit/account-by-record.ts';
import { inProcessZoneLock } from '../../../src/providers/toolkit/zone-lock.ts';
import { record } from '../suites/given.ts';
import { descriptor } from './descriptor.ts';

/** A provider in memory that stores every record it gets, even duplicates. */
function provider(names: readonly string[]) {
  const zones = names.map((name) => ({ id: `id of ${name}`, name, nameservers: [] }));
  const kept = new Map<string, ZoneRecord[]>(zones.map(({ id }) => [id, []]));
  const account = accountByRecord(descriptor, inProcessZoneLock(), {
    zones: () => Promise.resolve(zones),
    records: ({ id }) => Promise.resolve([...kept.get(id)!]),
    create: ({ id }, added) =>
      Promise.resolve(kept.get(id)!.push({ ...added, id: randomUUID(), readOnly: false, extra: added.extra ?? null })),
    remove: (zone, id) =>
      Promise.resolve(void kept.set(zone.id, kept.get(zone.id)!.filter((one) => one.id !== id))), // prettier-ignore
  });
  return { account, kept };
}

test('a host belongs to the longest zone of the account, and only records at its exact name are returned', async () => {
  const { account } = provider(['example.test', 'shop.example.test']);
  expect(await account.findZone('www.shop.example.test')).toMatchObject({ name: 'shop.example.test' });
  expect(await account.findZone('workshop.example.test')).toMatchObject({ name: 'example.test' });
  expect(await account.findZone('example.net')).toBeUndefined();

  const zone = (await account.findZone('example.test'))!;
  const hosts = ['a.example.test', 'b.example.test'] as const;
  await account.apply(zone, { add: hosts.map((host) => record(host, 'TXT', host)), remove: [] });
  expect(await account.records(zone, [hosts[0]])).toMatchObject([{ host: hosts[0] }]);
});

test('concurrent writers write a value once, and its removal leaves foreign values', async () => {
  const { account, kept } = provider(['example.test']);
  const zone = (await account.findZone('example.test'))!;
  const [ours, theirs] = ['ours', 'theirs'].map((value) => record('shop.example.test', 'TXT', value));
  await account.apply(zone, { add: [theirs!], remove: [] });

  await Promise.all([1, 2, 3].map(() => account.apply(zone, { add: [ours!], remove: [] })));
  expect(kept.get(zone.id)!.map(({ value }) => value)).toEqual(['theirs', 'ours']);

  await account.apply(zone, { add: [], remove: [ours!] });
  expect(kept.get(zone.id)!.map(({ value }) => value)).toEqual(['theirs']);
});
