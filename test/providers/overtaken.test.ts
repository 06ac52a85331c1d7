import { providerOf } from '../../src/providers/registry.ts';
import { doubledSlugs, startDoubleOf } from './every-double.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

/** Providers at which nothing shows the change: one replaces the whole zone, one deletes an absent set without error. */
const BLIND = ['namecheap', 'desec'];

const http = uncountedHttp();
afterAll(() => http.close());

test.each(doubledSlugs)(
  'a value at %s that another program removes between our read and our removal is gone, and not by us',
  async (slug) => {
    const double = await startDoubleOf(slug);
    try {
      double.addZone('example.test');
      const { credential, url: baseUrl, tokenUrl } = double;
      const open = () =>
        providerOf(slug)!.open(credential, { ...aloneWith(http), baseUrl, ...(tokenUrl && { tokenUrl }) });
      const zone = (await open().findZone('example.test'))!;
      const before = double.dump('example.test');
      const ours = record('shop.example.test', 'TXT', 'ours');
      await open().apply(zone, { add: [ours], remove: [] });

      const { removed } = await open().apply(zone, {
        hosts: [ours.host],
        decide: async () => {
          // Another program does not use our lock.
          await open().apply(zone, { add: [], remove: [ours] });
          return { add: [], remove: [ours] };
        },
      });

      // An undo restores the records that count as removed by us.
      if (!BLIND.includes(slug)) expect(removed).toEqual([]);

      expect(double.dump('example.test')).toEqual(before);
    } finally {
      await double.stop();
    }
  },
);
