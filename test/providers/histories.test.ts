import fc from 'fast-check';
import { additionOf } from '../../src/domain/zone/zone-record.ts';
import type { Account } from '../../src/providers/contract.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { providerOf } from '../../src/providers/registry.ts';
import { historySubject, type PlayedZone } from '../support/fixtures/history-subject.ts';
import { tries } from '../support/tries.ts';
import { histories, play, type History } from '../support/fixtures/zone-history.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { doubledSlugs, startDoubleOf } from './every-double.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const RUNS = tries(200, 40);
/** The owner removes one of two values right after we removed the other. */
const OVERTAKEN_HALF_WAY = 549_621_805;
/** Three writes of ours, for both purposes, without a change of the owner: one history in fourteen. */
const UNTOUCHED = 343;

describe.each(doubledSlugs)('%s', (slug) => {
  let double: ProviderDouble;
  let http: ProviderHttp;
  beforeAll(async () => {
    double = await startDoubleOf(slug);
    http = uncountedHttp();
  });
  afterAll(async () => {
    await http.close();
    await double.stop();
  });

  test(`${RUNS} histories of writes, owner's changes in between, repairs and undo end with the owner's zone`, async () => {
    let count = 0;
    let untouched = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const zone = `history${count++}.example.test`;
        double.addZone(zone, FOREIGN);
        const hosts = [`shop.${zone}`, `www.${zone}`];
        const [history] = fc.sample(histories(hosts), { seed, numRuns: 1 }) as [History];
        const played = await playedAt(zone, hosts);
        const before: { dump?: string[] } = {};
        const noting: PlayedZone = {
          ...played,
          async set(records) {
            await played.set(records);
            before.dump ??= double.dump(zone);
          },
        };
        await play(history, historySubject(noting));
        if (history.steps.some((step) => step.kind === 'edit' || step.write.meanwhile !== null)) return;
        untouched++;
        expect(double.dump(zone)).toEqual(before.dump);
      }),
      { numRuns: RUNS, endOnFailure: true, examples: [[OVERTAKEN_HALF_WAY], [UNTOUCHED]] },
    );
    expect(untouched).toBeGreaterThan(0);
  }, 300_000);

  /** Our program and the owner's program are two processes that share only the provider. */
  async function playedAt(name: string, hosts: readonly string[]): Promise<PlayedZone> {
    const open = (): Account =>
      providerOf(slug)!.open(double.credential, {
        ...aloneWith(http),
        baseUrl: double.url,
        ...(double.tokenUrl !== undefined && { tokenUrl: double.tokenUrl }),
      });
    const [ours, theirs] = [open(), open()];
    const zone = (await ours.findZone(name))!;
    const { concurrency, ttl } = providerOf(slug)!.descriptor.limits;
    return {
      account: ours,
      zone,
      comparesAndSwaps: concurrency !== 'zone_lock',
      read: () => theirs.records(zone, hosts).then((records) => [...records]),
      async set(records) {
        const storable = records.map((record) => ({ ...record, ttl: Math.max(record.ttl, ttl.min) }));
        const add = storable.flatMap((record) => additionOf(record) ?? []);
        await theirs.apply(zone, { hosts, decide: (current) => ({ add, remove: current }) });
      },
    };
  }
});

/** Foreign records of the zone, with mail and a second service. They must never change. */
const FOREIGN = [
  { name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' },
  { name: '', type: 'TXT', ttl: 3600, rdata: '"v=spf1 include:example.net -all"' },
  { name: 'blog', type: 'CNAME', ttl: 7200, rdata: 'blogs.example.net.' },
];
