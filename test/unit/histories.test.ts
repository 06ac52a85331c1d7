import fc from 'fast-check';
import type { ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { Bookkeeping, type PlayedZone } from '../support/bookkeeping.ts';
import { histories, play } from '../support/fixtures/zone-history.ts';
import { tryApplyTo } from '../support/fixtures/zone-model.ts';

/** A provider that compares nothing: it is written by what was decided, whatever the owner did since. */
function zoneInMemory(): PlayedZone {
  let records: readonly ZoneRecord[] = [];
  return {
    read: () => Promise.resolve(records),
    set: (zone) => Promise.resolve(void (records = zone)),
    async apply(hosts, decide, meanwhile) {
      const change = decide(records.filter(({ host }) => hosts.includes(host)));
      await meanwhile();
      if (change === undefined) return [];
      const applied = tryApplyTo(records, change);
      records = applied?.zone ?? records;
      return applied?.removed;
    },
  };
}

test('whatever we write, for whichever purpose, and whatever the owner does meanwhile, undo leaves the owner’s zone', async () => {
  await fc.assert(
    fc.asyncProperty(histories(['shop.example.test', 'www.example.test']), (history) =>
      play(history, new Bookkeeping(zoneInMemory())),
    ),
    { numRuns: 3_000 },
  );
});
