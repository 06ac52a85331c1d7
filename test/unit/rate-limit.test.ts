import fc from 'fast-check';
import { Buckets, limitHeaders } from '../../src/api/rate-limit.ts';

test('over any period a bucket allows no more than its burst plus its refill', () => {
  const rate = { perSecond: 5, burst: 20 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 300 }), (waits) => {
      const buckets = new Buckets(rate);
      let now = 0;
      let allowed = 0;
      for (const wait of waits) {
        now += wait;
        if (buckets.take('caller', now).allowed) allowed++;
      }
      expect(allowed).toBeLessThanOrEqual(rate.burst + (now / 1_000) * rate.perSecond);
    }),
  );
});

test('waiting for the returned time is enough', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.integer({ min: 1, max: 50 }),
      (perSecond, burst) => {
        const buckets = new Buckets({ perSecond, burst });
        let standing = buckets.take('caller', 0);
        while (standing.allowed) standing = buckets.take('caller', 0);
        expect(buckets.take('caller', standing.next * 1_000).allowed).toBe(true);
      },
    ),
  );
});

test('callers do not share a bucket, and dropping a full bucket has no effect', () => {
  const buckets = new Buckets({ perSecond: 1, burst: 1 });

  expect([buckets.take('a', 0), buckets.take('b', 0), buckets.take('a', 1)].map(({ allowed }) => allowed)).toEqual([
    true,
    true,
    false,
  ]);
  expect(buckets.take('a', 60_000).allowed).toBe(true);
});

test('the headers state the policy, the remaining quota and the time as in the draft standard', () => {
  const rate = { perSecond: 25, burst: 50 };
  const standing = new Buckets(rate).take('caller', 0);

  expect(limitHeaders('key', rate, standing)).toEqual({
    'RateLimit-Policy': '"key";q=50;w=2',
    RateLimit: '"key";r=49;t=1',
  });
});
