import fc from 'fast-check';
import { OriginAttempts, type OriginEvent } from '../../src/edge/origin-attempts.ts';
import { OriginHealth } from '../../src/edge/origin-health.ts';
import { retryInName } from '../../src/edge/dial-name.ts';
import { RequestsInProgress, type Place } from '../../src/edge/requests-in-progress.ts';

const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const same = (text: string): string => text;

test('an address that failed comes last for five seconds; then one request tries it, and the others follow', () => {
  let now = 0;
  const health = new OriginHealth(() => now);
  const firsts = (): Set<string> => new Set(Array.from({ length: 60 }, () => health.order(ADDRESSES, same)[0]));
  expect(firsts()).toEqual(new Set(ADDRESSES));
  expect([health.fail(ADDRESSES[0]), health.fail(ADDRESSES[0])]).toEqual([true, false]);
  now = 4_999;
  expect(firsts()).toEqual(new Set(ADDRESSES.slice(1)));
  expect(health.order(ADDRESSES, same)[2]).toBe(ADDRESSES[0]);
  now = 5_000;
  expect(health.order(ADDRESSES, same)[0]).toBe(ADDRESSES[0]);
  expect(firsts()).toEqual(new Set(ADDRESSES.slice(1)));
  now = 10_000;
  expect(firsts()).toEqual(new Set(ADDRESSES));
});

test('the pause of an address that fails again doubles, up to a minute', () => {
  let now = 0;
  const health = new OriginHealth(() => now);
  const [first, second] = ADDRESSES;
  const pauses: number[] = [];
  for (let i = 0; i < 6; i++) {
    health.fail(first);
    const failedAt = now;
    while (health.order([first, second], same)[0] !== first) now += 1_000;
    pauses.push(now - failedAt);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('a second attempt is counted once for its application, and does not count for another with the same origin', () => {
  const events: [OriginEvent, string][] = [];
  const attempts = new OriginAttempts((event, application) => events.push([event, application]));
  const origin = {
    addresses: ADDRESSES,
    port: 443,
    host: 'shop.example',
    name: 'shop.example',
    scheme: 'https',
  } as const;
  const [one, other] = [attempts.namesFor(origin, 'one', true), attempts.namesFor(origin, 'other', true)];
  expect(one.first.split('.').at(-4)).not.toBe(other.first.split('.').at(-4));
  expect(retryInName(one.first)).toBeUndefined();
  const retry = retryInName(one.then ?? '') ?? '';
  for (let i = 0; i < 3; i++) attempts.failed(retry, true);
  expect(events).toEqual([
    ['retried', 'one'],
    ['dead', 'one'],
  ]);
  const failed = one.first.split('.')[0];
  const firsts = (application: string) =>
    new Set(Array.from({ length: 60 }, () => attempts.namesFor(origin, application, true).first.split('.')[0]));
  expect(firsts('one')).not.toContain(failed);
  expect(firsts('other')).toContain(failed);
});

describe('requests in progress', () => {
  test('are limited for each origin, and each ends once', () => {
    const inProgress = new RequestsInProgress(2);
    const [one, two] = [inProgress.begin('a'), inProgress.begin('a')];
    expect([inProgress.begin('a'), two === null]).toEqual([null, false]);
    expect(inProgress.begin('b')).not.toBeNull();
    one?.onEnd?.();
    one?.onEnd?.();
    expect(inProgress.begin('a')).not.toBeNull();
    expect(inProgress.begin('a')).toBeNull();
  });

  const seeded = (seed: number) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

  /** Begins requests until one is refused. Those that do not hang end immediately. Returns how many hang. */
  function fill(inProgress: RequestsInProgress, hangs: () => boolean): Place[] {
    const hanging: Place[] = [];
    for (let place = inProgress.begin('a'); place !== null; place = inProgress.begin('a'))
      if (hangs()) hanging.push(place);
      else place.onEnd?.();
    return hanging;
  }

  test('of an origin that hangs reach its limit exactly, again and again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 2 ** 31 - 2 }), (limit, seed) => {
        const inProgress = new RequestsInProgress(limit, seeded(seed));
        for (let round = 0; round < 3; round++) {
          const hanging = fill(inProgress, () => true);
          expect(hanging).toHaveLength(limit);
          for (const { onEnd } of hanging) onEnd?.();
        }
      }),
    );
  });

  test('are on average at the limit if only some hang', () => {
    const random = seeded(7);
    const rounds = Array.from({ length: 200 }, () => {
      const inProgress = new RequestsInProgress(1_000, random);
      return fill(inProgress, () => random() < 0.3).length;
    });
    const mean = rounds.reduce((sum, count) => sum + count) / rounds.length;
    expect(mean).toBeGreaterThan(900);
    expect(mean).toBeLessThan(1_100);
    expect(Math.max(...rounds)).toBeLessThan(2_500);
  });

  test('are rarely counted while an origin is healthy', () => {
    const inProgress = new RequestsInProgress(1_000, seeded(1));
    let counted = 0;
    for (let i = 0; i < 100_000; i++) {
      const place = inProgress.begin('a');
      if (place?.onEnd !== null) counted++;
      place?.onEnd?.();
    }
    expect(counted).toBeGreaterThan(700);
    expect(counted).toBeLessThan(1_200);
  });
});
