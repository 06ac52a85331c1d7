import fc from 'fast-check';
import { isOneOf, type ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import type { Account } from '../../src/providers/contract.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { historySubject, type PlayedZone } from '../support/fixtures/history-subject.ts';
import { histories, play } from '../support/fixtures/zone-history.ts';
import { tryApplyTo } from '../support/fixtures/zone-model.ts';

/** A provider without concurrency checks: it applies a planned change even if the owner has edited the zone since. */
function zoneInMemory(): PlayedZone {
  let records: readonly ZoneRecord[] = [];
  const at = (hosts: readonly string[]) => records.filter(({ host }) => hosts.includes(host));
  const zone = { id: 'zone', name: 'example.test', nameservers: [] };
  const account: Account = {
    verify: () => Promise.resolve([zone]),
    findZone: () => Promise.resolve(zone),
    records: (_zone, hosts) => Promise.resolve(at(hosts)),
    async apply(_zone, change) {
      const wanted = 'decide' in change ? await change.decide(at(change.hosts)) : change;
      if (wanted === undefined) return { changed: false, present: [], removed: [] };
      const applied = tryApplyTo(records, wanted);
      if (applied === undefined) throw new ProviderError('conflict', 'It: these records cannot exist together.');
      records = applied.zone;
      return { changed: true, present: records.filter((one) => isOneOf(one, wanted.add)), removed: applied.removed };
    },
  };
  return {
    account,
    zone,
    comparesAndSwaps: true,
    read: () => Promise.resolve(records),
    set: (after) => Promise.resolve(void (records = after)),
  };
}

test('undo restores the owner’s zone after any writes of ours, for any purpose, and any edits by the owner', async () => {
  await fc.assert(
    fc.asyncProperty(histories(['shop.example.test', 'www.example.test']), (history) =>
      play(history, historySubject(zoneInMemory())),
    ),
    { numRuns: 3_000 },
  );
});
