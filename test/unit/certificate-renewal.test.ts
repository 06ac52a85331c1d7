import fc from 'fast-check';
import {
  isCheckDue,
  isExpiringSince,
  renewalFindings,
  renewAt,
  type Validity,
} from '../../src/domain/certificate/certificate.ts';
import { DAY, HOUR } from '../../src/domain/duration.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const lasting = (ms: number): Validity => ({ notBefore: new Date(START), notAfter: new Date(START + ms) });
const lifetimes = fc.integer({ min: HOUR, max: 400 * DAY });

describe('a certificate', () => {
  test.each([
    [160 * HOUR, 80 * HOUR],
    [45 * DAY, 30 * DAY],
    [90 * DAY, 60 * DAY],
    [10 * DAY, Math.round(10 * DAY * (2 / 3))],
  ])('that lasts %d ms is renewed after %d ms', (lifetime, age) => {
    expect(renewAt(lasting(lifetime)).getTime() - START).toBe(age);
  });

  test('is reported as late in its last sixth only, for every lifetime', () => {
    fc.assert(
      fc.property(lifetimes, fc.double({ min: 0, max: 0.999, noNaN: true }), (lifetime, age) => {
        const found = renewalFindings('shop.example.com', lasting(lifetime), START + lifetime * age);
        expect(found.map(({ severity }) => severity)).toEqual((1 - age) * 6 < 1 ? ['warning'] : []);
      }),
    );
  });

  test('is checked hourly from its renewal on, daily before, and at the moments that are reported', () => {
    fc.assert(
      fc.property(
        lifetimes,
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        fc.integer({ min: 0, max: 2 * DAY }),
        (lifetime, age, ago) => {
          const validity = lasting(lifetime);
          const now = START + Math.round(lifetime * age);
          const due = isCheckDue(now, now - ago, validity);
          const interval = now >= renewAt(validity).getTime() ? HOUR : DAY;
          if (ago >= interval) expect(due).toBe(true);
          const isLate = (at: number) => (START + lifetime - at) * 6 < lifetime;
          const isReported = (at: number) => [isLate(at), START + lifetime <= at].join();
          expect(due).toBe(ago >= interval || isReported(now) !== isReported(now - ago));
        },
      ),
    );
  });

  test('that a tenant uploaded is announced twice, at a third and at a sixth, however its checks fall', () => {
    fc.assert(
      fc.property(
        lifetimes,
        fc.array(fc.double({ min: 0.001, max: 1.2, noNaN: true }), { maxLength: 20 }),
        (lifetime, random) => {
          const validity = lasting(lifetime);
          // One check falls into each part of the life, so that both moments are seen.
          const ages = [0.5, 0.7, 0.9, ...random]
            .sort((a, b) => a - b)
            .map((age) => Math.round(START + lifetime * age));
          const announced = ages.filter((now, index) => isExpiringSince(ages[index - 1] ?? null, validity, now));
          expect(announced).toHaveLength(2);
          const [third = 0, sixth = 0] = announced.map((at) => (START + lifetime - at) / lifetime);
          expect(third).toBeLessThanOrEqual(1 / 3);
          expect(third).toBeGreaterThan(1 / 6);
          expect(sixth).toBeLessThan(1 / 6);
          expect(sixth).toBeGreaterThan(0);
        },
      ),
    );
  });
});
