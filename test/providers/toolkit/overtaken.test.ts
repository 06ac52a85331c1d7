import type { ZoneRecord } from '../../../src/domain/zone/zone-record.ts';
import { writeUnlessOvertaken, ProviderError } from '../../../src/providers/provider-error.ts';
import { withAbsoluteTarget } from '../../../src/providers/toolkit/rdata.ts';
import type { RecordSet, SetWrite } from '../../../src/providers/toolkit/record-sets.ts';
import { writeEach } from '../../../src/providers/toolkit/record-by-record.ts';
import { writeSets } from '../../../src/providers/toolkit/write-sets.ts';
import { record } from '../suites/given.ts';

describe('a write that another writer overtook', () => {
  const refuse = (more = {}) => Promise.reject(new ProviderError('already_exists', 'it stands', more));

  test('returns false, and true if no writer overtook it', async () => {
    expect(await writeUnlessOvertaken(['already_exists'], () => refuse())).toBe(false);
    expect(await writeUnlessOvertaken(['already_exists'], () => Promise.resolve())).toBe(true);
  });

  test('throws if a part of it had happened, because a repetition here would lose the removed records', async () => {
    const partly = writeUnlessOvertaken(['already_exists'], () => refuse({ mayHaveChanged: true }));
    await expect(partly).rejects.toMatchObject({ code: 'transient', mayHaveChanged: true });
  });

  test('throws for every other refusal', async () => {
    await expect(writeUnlessOvertaken(['record_not_found'], () => refuse())).rejects.toMatchObject({
      code: 'already_exists',
    });
  });
});

test('a set whose replacement fails is put back with the data that its provider keeps for it', async () => {
  type Set = RecordSet<string> & { note: string };
  const before: Set = { host: 'shop.example.test', type: 'A', ttl: 60, values: ['192.0.2.1'], note: 'billing' };
  const write = { host: before.host, ttl: 60, extra: null };
  const puts: SetWrite<string, Set>[] = [];
  const writing = writeSets<string, Set>(
    [
      { ...write, type: 'A', values: [], before, leaving: [] },
      { ...write, type: 'CNAME', values: ['edge.example.net.'], before: undefined, leaving: [] },
    ],
    {
      put: (set) => {
        puts.push(set);
        return set.type === 'CNAME' ? Promise.reject(new ProviderError('validation', 'no')) : Promise.resolve();
      },
      remove: () => Promise.resolve(),
      extraOf: ({ note }) => ({ note }),
    },
  );
  await expect(writing).rejects.toMatchObject({ code: 'validation', mayHaveChanged: true });
  expect(puts.at(-1)).toMatchObject({ type: 'A', values: ['192.0.2.1'], extra: { note: 'billing' } });
});

describe('a change that is overtaken halfway reports the records that it removed', () => {
  const wanted = record('shop.example.test', 'A', '192.0.2.3');
  const [first, second] = ['192.0.2.1', '192.0.2.2'].map((value) => ({
    ...record('shop.example.test', 'A', value),
    id: value,
    readOnly: false,
    extra: null,
  })) as [ZoneRecord, ZoneRecord];
  const goneBefore = () => Promise.reject(new ProviderError('record_not_found', 'no such record'));

  test('record by record, without records that were already gone', async () => {
    const writing = writeEach(
      { add: [wanted], remove: [first, second] },
      { create: () => Promise.resolve(), remove: ({ id }) => (id === second.id ? goneBefore() : Promise.resolve()) },
    );
    await expect(writing).rejects.toMatchObject({ mayHaveChanged: true, removed: [first] });
  });

  test('without records that it put back', async () => {
    const alias = record('shop.example.test', 'CNAME', 'edge.example.net');
    const writing = writeEach(
      { add: [alias], remove: [first, second] },
      { create: () => Promise.resolve(), remove: ({ id }) => (id === second.id ? goneBefore() : Promise.resolve()) },
    );
    await expect(writing).rejects.toMatchObject({ mayHaveChanged: true, removed: [] });
  });

  test('set by set', async () => {
    let calls = 0;
    const set = { host: first.host, ttl: 60, extra: null, values: [], before: { ...first, values: [first.value] } };
    const writing = writeSets<string, RecordSet<string>>(
      [
        { ...set, type: 'A', leaving: [first] },
        { ...set, type: 'AAAA', leaving: [second] },
      ],
      { put: () => Promise.resolve(), remove: () => (calls++ === 0 ? Promise.resolve() : goneBefore()) },
    );
    await expect(writing).rejects.toMatchObject({ mayHaveChanged: true, removed: [first] });
  });

  test('and none if the last call has no answer', async () => {
    const silent = () => Promise.reject(new ProviderError('transient', 'no answer'));
    const writing = writeEach({ add: [wanted], remove: [first] }, { create: () => Promise.resolve(), remove: silent });
    await expect(writing).rejects.toMatchObject({ mayHaveChanged: true, removed: undefined });
  });
});

test.each([
  ['CNAME', 'www', 'www.example.test.'],
  ['CNAME', 'edge.example.net.', 'edge.example.net.'],
  ['MX', '10 @', '10 example.test.'],
  ['SRV', '1 2 5060 sip', '1 2 5060 sip.example.test.'],
  ['TXT', '"no name"', '"no name"'],
  ['A', '192.0.2.1', '192.0.2.1'],
])('%s %s on a server with relative names means %s', (type, rdata, meant) => {
  expect(withAbsoluteTarget(type, rdata, 'example.test')).toBe(meant);
});
