import fc from 'fast-check';
import {
  afterAnswer,
  expiryWarning,
  lossOf,
  nextCheckAt,
  registrationFindings,
  type Registration,
  type RegistrationAnswer,
} from '../../src/domain/connection/registration.ts';

const DAY = 86_400_000;
const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY);
const UNCHECKED: Registration = {
  registered_at: null,
  expires_at: null,
  missing_since: null,
  missing_days: 0,
  answered_at: null,
};
const found = (expires: number, registered = -1_000): RegistrationAnswer => ({
  outcome: 'found',
  registered_at: at(registered),
  expires_at: at(expires),
});
const NOT_FOUND = { outcome: 'not_found' } as const;
const codes = (known: Registration, provedAt: Date | null = at(0)) =>
  registrationFindings({ ...known, domain: 'shop.com', proved_at: provedAt }).map(({ code }) => code);

describe('the end of a registration', () => {
  test('is reported 30, 7 and 1 days before, exactly once each, whenever the daily checks begin', () => {
    fc.assert(
      fc.property(fc.double({ min: -40, max: 29.9, noNaN: true }), (begin) => {
        const warnings: number[] = [];
        let [now, known] = [at(begin), UNCHECKED];
        while (now < at(60)) {
          known = afterAnswer(known, found(60), null, now);
          const days = expiryWarning(known.expires_at, now);
          if (days !== null && warnings.at(-1) !== days) warnings.push(days);
          now = nextCheckAt(known, now);
        }
        expect(warnings).toEqual([30, 7, 1]);
      }),
    );
  });

  test('is a finding while the registry’s last answer lies within 30 days of it, and a renewal ends the finding', () => {
    const after = (days: number) => afterAnswer(UNCHECKED, found(60), null, at(days));
    expect([codes(after(29.9)), codes(after(30)), codes(after(61))]).toEqual([
      [],
      ['domain_expiring'],
      ['domain_expiring'],
    ]);
    expect(codes(afterAnswer(after(59), found(425), null, at(59.5)))).toEqual([]);
    expect(registrationFindings({ ...after(30), domain: 'shop.com', proved_at: at(0) })).toMatchObject([
      { severity: 'warning', message: 'The registration of shop.com ends on 2026-03-02.' },
    ]);
    expect(registrationFindings({ ...after(61), domain: 'shop.com', proved_at: at(0) })).toMatchObject([
      { message: 'The registration of shop.com ended on 2026-03-02.' },
    ]);
  });

  test('is not reported after it, nor if the registry does not publish it', () => {
    expect([expiryWarning(at(60), at(60)), expiryWarning(null, at(60))]).toEqual([null, null]);
  });
});

describe('another owner', () => {
  test.each([
    ['before the proof', -1, null],
    ['at the moment of the proof', 0, null],
    ['after the proof', 0.01, 'registered_anew'],
  ])('is assumed for a registration %s: %s → %s', (_, registered, loss) => {
    const known = afterAnswer(UNCHECKED, found(400, registered), null, at(1));
    expect(lossOf(known, at(0))).toBe(loss);
    expect(codes(known)).toEqual(loss === null ? [] : [loss]);
    expect(lossOf(known, null)).toBeNull();
  });

  test('is assumed after seven days without a registration and with NXDOMAIN, and a found domain ends that', () => {
    let known = afterAnswer(UNCHECKED, found(300), null, at(0));
    for (let day = 1; day <= 6; day++) known = afterAnswer(known, NOT_FOUND, true, at(day));
    expect(codes(known)).toEqual([]);
    known = afterAnswer(known, NOT_FOUND, true, at(7));
    expect(codes(known)).toEqual(['domain_gone']);
    expect(codes(afterAnswer(known, found(400), null, at(8)))).toEqual([]);
    expect(codes(afterAnswer(known, NOT_FOUND, false, at(8)))).not.toContain('domain_gone');
  });

  const answer = fc.constantFrom<[RegistrationAnswer, boolean | null]>(
    [found(400), null],
    [NOT_FOUND, true],
    [NOT_FOUND, false],
    [NOT_FOUND, null],
    [{ outcome: 'unknown' }, null],
  );
  const checks = fc.array(fc.tuple(answer, fc.integer({ min: 0, max: 60 })), { maxLength: 30 });

  test('is assumed only after answers on seven days in a row, and silence changes nothing', () => {
    fc.assert(
      fc.property(checks, (made) => {
        let [known, now, days] = [UNCHECKED, 0, new Set<number>()];
        let first: number | null = null;
        for (const [[given, isDenied], hours] of made) {
          now += hours;
          const before = known;
          known = afterAnswer(known, given, isDenied, at(now / 24));
          if (given.outcome === 'unknown') expect(known).toEqual(before);
          if (given.outcome === 'found' || isDenied === false) [days, first] = [new Set(), null];
          if (given.outcome === 'not_found' && isDenied === true) days.add(Math.floor((now - (first ??= now)) / 24));
          expect(known.missing_days).toBeLessThanOrEqual(days.size);
          expect(lossOf(known, at(0)) === 'domain_gone').toBe(known.missing_days >= 7);
        }
      }),
    );
  });
});

test('a registry that never answered causes no finding', () => {
  expect(registrationFindings(null)).toEqual([]);
  expect(codes(afterAnswer(UNCHECKED, { outcome: 'unknown' }, null, at(0)))).toEqual([]);
});
