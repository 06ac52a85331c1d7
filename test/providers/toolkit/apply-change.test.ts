import type { Addition, ZoneChange, ZoneRecord } from '../../../src/domain/zone/zone-record.ts';
import { ProviderError } from '../../../src/providers/provider-error.ts';
import { applyChange, type ZoneAccess } from '../../../src/providers/toolkit/apply-change.ts';
import { writeEach } from '../../../src/providers/toolkit/record-by-record.ts';
import type { RemainingChange } from '../../../src/providers/toolkit/remaining-change.ts';
import { applyTo } from '../../support/fixtures/zone-model.ts';
import { record } from '../suites/given.ts';
import { descriptor } from './descriptor.ts';

const ZONE = { id: 'z', name: 'example.test', nameservers: [] };
const HOST = 'shop.example.test';
const present = (wanted: Addition): ZoneRecord => ({ ...wanted, id: null, readOnly: false, extra: null });
const theirs = present(record(HOST, 'A', '192.0.2.1'));
const ours = record(HOST, 'CNAME', 'edge.example.net');

/** A zone in memory whose server handles a write as the test scripts it. */
function zoneOf(
  records: ZoneRecord[],
  write: (left: RemainingChange, zone: { records: readonly ZoneRecord[] }) => boolean,
) {
  const zone: { records: readonly ZoneRecord[]; published: number } = { records, published: 0 };
  const access: ZoneAccess<readonly ZoneRecord[]> = {
    read: () => Promise.resolve(zone.records),
    recordsOf: (state) => state,
    write: (left) => Promise.resolve(write(left, zone)),
  };
  return { zone, access };
}
const carriesOut = (left: RemainingChange, zone: { records: readonly ZoneRecord[] }): boolean => {
  zone.records = applyTo(zone.records, left);
  return true;
};

test('the result contains the removed records as they were', async () => {
  const { access } = zoneOf([theirs], carriesOut);
  expect(await applyChange(descriptor, ZONE, { add: [ours], remove: [theirs] }, access)).toMatchObject({
    changed: true,
    present: [ours],
    removed: [theirs],
  });
});

test('if the provider silently drops the addition, the records that were removed for it are put back', async () => {
  const { zone, access } = zoneOf([theirs], (left, at) =>
    carriesOut({ ...left, add: left.add.filter(({ type }) => type !== 'CNAME') }, at),
  );
  const attempt = applyChange(descriptor, ZONE, { add: [ours], remove: [theirs] }, access);
  await expect(attempt).rejects.toMatchObject({ code: 'conflict', mayHaveChanged: true });
  expect(zone.records).toMatchObject([{ type: 'A', value: '192.0.2.1' }]);
});

test('a removal that was accepted but not made is detected', async () => {
  const { access } = zoneOf([theirs], () => true);
  const attempt = applyChange(descriptor, ZONE, { add: [], remove: [theirs] }, access);
  await expect(attempt).rejects.toMatchObject({ code: 'transient', mayHaveChanged: true });
});

test('a failed read after the write reports that the zone may have changed', async () => {
  const { access } = zoneOf([], carriesOut);
  let reads = 0;
  const failing: typeof access = {
    ...access,
    read: (hosts) =>
      reads++ === 0 ? access.read(hosts) : Promise.reject(new ProviderError('rate_limited', 'slow down')),
  };
  const attempt = applyChange(descriptor, ZONE, { add: [ours], remove: [] }, failing);
  await expect(attempt).rejects.toMatchObject({ code: 'rate_limited', mayHaveChanged: true });
});

test('written records are published, and so are existing ones, because an earlier call may have missed the step', async () => {
  const { zone, access } = zoneOf([], carriesOut);
  const publishing = { ...access, publish: async () => Promise.resolve(zone.published++).then(() => undefined) };
  await applyChange(descriptor, ZONE, { add: [ours], remove: [] }, publishing);
  await applyChange(descriptor, ZONE, { add: [ours], remove: [] }, publishing);
  expect(zone.published).toBe(2);
});

test('a decision is repeated on the records that another writer has left', async () => {
  const newer = present(record(HOST, 'A', '192.0.2.2'));
  let attempts = 0;
  const { zone, access } = zoneOf([theirs], (left, at) => {
    if (attempts++ > 0) return carriesOut(left, at);
    at.records = [newer];
    return false;
  });
  const decide = (current: readonly ZoneRecord[]): ZoneChange => ({ add: [ours], remove: current });
  expect(await applyChange(descriptor, ZONE, { hosts: [HOST], decide }, access)).toMatchObject({ removed: [newer] });
  expect(zone.records).toMatchObject([ours]);
});

test('a lost lock prevents the write', async () => {
  const { zone, access } = zoneOf([], carriesOut);
  const lease = { confirm: () => Promise.reject(new ProviderError('transient', 'lost')) };
  const attempt = applyChange(descriptor, ZONE, { add: [ours], remove: [] }, { ...access, lease });
  await expect(attempt).rejects.toMatchObject({ code: 'transient', mayHaveChanged: false });
  expect(zone.records).toEqual([]);
});

describe('record by record', () => {
  const text = record(`_t.${HOST}`, 'TXT', 'ours');
  const calls = (failing: (call: string) => boolean) => {
    const made: string[] = [];
    const call = (name: string) => {
      made.push(name);
      return failing(name) ? Promise.reject(new ProviderError('validation', 'no')) : Promise.resolve();
    };
    return {
      made,
      create: ({ type, value }: Addition) => call(`create ${type} ${value}`),
      remove: ({ type, value }: ZoneRecord) => call(`remove ${type} ${value}`),
    };
  };

  test('additions that need no removal come first, then removals, then replacements', async () => {
    const api = calls(() => false);
    await writeEach({ add: [ours, text], remove: [theirs] }, api);
    expect(api.made).toEqual(['create TXT ours', 'remove A 192.0.2.1', 'create CNAME edge.example.net']);
  });

  test('if a replacement is refused, the replaced records are put back', async () => {
    const api = calls((name) => name.startsWith('create CNAME'));
    await expect(writeEach({ add: [ours], remove: [theirs] }, api)).rejects.toMatchObject({ mayHaveChanged: true });
    expect(api.made.at(-1)).toBe('create A 192.0.2.1');
  });

  test('a refused first call has changed nothing; a later failure comes after a change', async () => {
    const first = calls(() => true);
    await expect(writeEach({ add: [text], remove: [] }, first)).rejects.toMatchObject({ mayHaveChanged: false });
    const second = calls((name) => name.startsWith('remove'));
    await expect(writeEach({ add: [text], remove: [theirs] }, second)).rejects.toMatchObject({ mayHaveChanged: true });
  });
});
