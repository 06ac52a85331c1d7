import { ProviderError } from '../../../src/providers/provider-error.ts';
import { applyBySet } from '../../../src/providers/toolkit/locked-apply.ts';
import { fromRdata, toRdata } from '../../../src/providers/toolkit/rdata.ts';
import type { RecordSet, ValueCodec } from '../../../src/providers/toolkit/record-sets.ts';
import { inProcessZoneLock } from '../../../src/providers/toolkit/zone-lock.ts';
import { record } from '../suites/given.ts';
import { descriptor } from './descriptor.ts';

const codec: ValueCodec<string> = {
  typeOf: ({ type }) => type,
  encode: (wanted) => toRdata(wanted),
  decode: (type, value) => fromRdata(type, value),
};
const zone = { id: 'z', name: 'example.test', nameservers: [] };
const HOST = 'shop.example.test';
const ours = record(HOST, 'CNAME', 'edge.example.net');
const theirAddress: RecordSet<string> = { host: HOST, type: 'A', ttl: 7200, values: ['192.0.2.1'] };

/** A provider in memory that only supports whole sets. `refuses` selects the calls that it refuses. */
function provider(start: readonly RecordSet<string>[], refuses: (call: string) => boolean = () => false) {
  const state = { sets: [...start], calls: [] as string[] };
  const call = (name: string, act: () => void): Promise<void> => {
    state.calls.push(name);
    if (refuses(name)) return Promise.reject(new ProviderError('validation', 'no'));
    act();
    return Promise.resolve();
  };
  const without = ({ host, type }: { host: string; type: string }) =>
    state.sets.filter((set) => set.host !== host || set.type !== type);
  const apply = (change: Parameters<typeof applyBySet>[0]['change']) =>
    applyBySet<string, RecordSet<string>>(
      { descriptor, zoneLock: inProcessZoneLock(), zone, change, call: undefined },
      {
        codec,
        read: (hosts) => Promise.resolve(state.sets.filter(({ host }) => hosts.includes(host))),
        put: ({ host, type, ttl, values }) =>
          call(
            `put ${type} ${values.join(' ')}`,
            () => (state.sets = [...without({ host, type }), { host, type, ttl, values }]),
          ),
        remove: (set) => call(`remove ${set.type}`, () => (state.sets = without(set))),
      },
    );
  return { state, apply };
}

test('a value is added to its set, whose other values keep their spelling and TTL', async () => {
  const theirs: RecordSet<string> = { host: HOST, type: 'TXT', ttl: 7200, values: ['"theirs, in " "two parts"'] };
  const { state, apply } = provider([theirs]);

  await apply({ add: [record(HOST, 'TXT', 'ours')], remove: [] });
  expect(state.sets).toEqual([{ ...theirs, values: ['"theirs, in " "two parts"', '"ours"'] }]);

  await apply({ add: [], remove: [record(HOST, 'TXT', 'ours')] });
  expect(state.sets).toEqual([theirs]);
});

test('a set that replaces another is written last', async () => {
  const { state, apply } = provider([theirAddress]);
  const text = record(`_t.${HOST}`, 'TXT', 'ours');
  const { removed } = await apply({ add: [ours, text], remove: [record(HOST, 'A', '192.0.2.1')] });
  expect(state.calls).toEqual(['put TXT "ours"', 'remove A', 'put CNAME edge.example.net.']);
  expect(removed).toMatchObject([{ type: 'A', value: '192.0.2.1', ttl: 7200 }]);
});

test('if that write is refused, the replaced set is put back', async () => {
  const { state, apply } = provider([theirAddress], (name) => name.startsWith('put CNAME'));
  const attempt = apply({ add: [ours], remove: [record(HOST, 'A', '192.0.2.1')] });
  await expect(attempt).rejects.toMatchObject({ code: 'validation', mayHaveChanged: true });
  expect(state.sets).toEqual([theirAddress]);
});
