import fc from 'fast-check';
import { move } from '../../src/domain/connection/connection.ts';
import {
  judgeOwnership,
  judgePropagation,
  judgeWatch,
  mismatchesAfter,
} from '../../src/domain/connection/judgement.ts';
import { unaskedAfter } from '../../src/domain/connection/elapsed.ts';
import { jittered, REAL_PACE, untilNextCheck } from '../../src/domain/connection/schedule.ts';
import { DAY } from '../../src/domain/duration.ts';
import type { Verdict } from '../../src/domain/observation/verdict.ts';

const HOUR = 3_600_000;
const anyVerdict = fc.constantFrom<Verdict>('match', 'mismatch', 'unknown');
const anyTime = fc.integer({ min: 0, max: 60 * DAY });
const watched = ({ elapsedMs, fast }: { elapsedMs: number; fast: boolean }) => ({
  liveForMs: elapsedMs,
  fast,
  pace: REAL_PACE,
});
const anyWait = fc.record({ elapsedMs: anyTime, countedMs: anyTime, sinceTouchMs: anyTime, fast: fc.boolean() });

describe('a judgement', () => {
  test('of an inconclusive check never moves a connection, except back to waiting', () => {
    fc.assert(
      fc.property(anyWait, fc.integer({ min: 0, max: 10 }), (waited, mismatches) => {
        expect(judgeOwnership('unknown', waited, REAL_PACE).moves).toEqual(['challengeAbsent']);
        expect(judgePropagation('propagating', 'unknown', waited, REAL_PACE).moves).toEqual([]);
        expect(judgePropagation('stalled', 'unknown', waited, REAL_PACE).moves).toEqual([]);
        expect(judgeWatch('live', 'unknown', mismatches, watched(waited)).moves).toEqual([]);
        expect(judgeWatch('drifted', 'unknown', mismatches, watched(waited)).moves).toEqual([]);
      }),
    );
  });

  test('names only moves that the state table has, in an order that the table allows', () => {
    fc.assert(
      fc.property(anyVerdict, anyWait, fc.integer({ min: 0, max: 10 }), (verdict, waited, mismatches) => {
        const walks = [
          ['verifying', judgeOwnership(verdict, waited, REAL_PACE)],
          ['propagating', judgePropagation('propagating', verdict, waited, REAL_PACE)],
          ['stalled', judgePropagation('stalled', verdict, waited, REAL_PACE)],
          ['live', judgeWatch('live', verdict, mismatches, watched(waited))],
          ['drifted', judgeWatch('drifted', verdict, mismatches, watched(waited))],
        ] as const;
        for (const [from, { moves }] of walks) {
          const end = moves.reduce<ReturnType<typeof move>>((state, trigger) => state && move(state, trigger), from);
          expect(end).toBeDefined();
        }
      }),
    );
  });

  test('reports drift at the fourth mismatch in a row, not before', () => {
    let mismatches = 0;
    const moves = Array.from({ length: 4 }, () => {
      mismatches = mismatchesAfter(mismatches, 'mismatch', HOUR, REAL_PACE);
      return judgeWatch('live', 'mismatch', mismatches, { liveForMs: DAY, fast: false, pace: REAL_PACE }).moves;
    });
    expect(moves).toEqual([[], [], [], ['recordsDrifted']]);
    expect(mismatchesAfter(3, 'unknown', HOUR, REAL_PACE)).toBe(3);
    expect(mismatchesAfter(3, 'match', HOUR, REAL_PACE)).toBe(0);
  });

  test('counts a mismatch again only when its confirmation is due, however often a check is requested', () => {
    let mismatches = 0;
    const countedAt: number[] = [];
    for (let second = 0; second <= 240; second++) {
      const after = mismatchesAfter(mismatches, 'mismatch', second * 1_000, REAL_PACE);
      if (after > mismatches) countedAt.push(second);
      mismatches = Math.min(after, 4);
      if (mismatches === 4) break;
    }
    expect(countedAt).toEqual([0, 27, 81, 189]);
  });

  test('counts towards a deadline only the time in which servers could be asked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyVerdict, fc.integer({ min: 1, max: DAY })), { minLength: 1, maxLength: 50 }),
        (checks) => {
          let [now, last, unasked, asked] = [0, null as number | null, 0, 0];
          for (const [verdict, gap] of checks) {
            now += gap;
            unasked = unaskedAfter(unasked, 0, last, verdict, now);
            if (verdict !== 'unknown') asked += now - (last ?? 0);
            last = now;
          }
          expect(now - unasked).toBe(asked);
        },
      ),
    );
  });
});

describe('the schedule', () => {
  test('never checks more often than every 2.7 s or less often than every 66 min', () => {
    fc.assert(
      fc.property(anyTime, fc.boolean(), fc.double({ min: 0, max: 0.999, noNaN: true }), (waited, fast, random) => {
        const wait = jittered(untilNextCheck(waited, fast), 0, random);
        return wait >= 2_700 && wait <= 66 * 60_000;
      }),
    );
  });

  test('never speeds up while the connection is left alone', () => {
    fc.assert(
      fc.property(
        anyTime,
        anyTime,
        (a, b) => untilNextCheck(Math.min(a, b), false) <= untilNextCheck(Math.max(a, b), false),
      ),
    );
  });

  test('checks about 75 times in the six hours after the first half hour, like 60 s growing by 15 %', () => {
    let checks = 0;
    for (let at = 0.5 * HOUR; at < 6 * HOUR; at += untilNextCheck(at, false)) checks++;
    let expected = 0;
    for (let at = 0.5 * HOUR, wait = 60_000; at < 6 * HOUR; at += wait, wait = Math.min(wait * 1.15, 900_000))
      expected++;
    expect(Math.abs(checks - expected)).toBeLessThanOrEqual(2);
  });

  test("subtracts a check's own duration from the wait, and never waits less than half a second", () => {
    expect(jittered(3_000, 1_000, 0.5)).toBe(2_000);
    expect(jittered(3_000, 10_000, 0.5)).toBe(500);
  });
});
