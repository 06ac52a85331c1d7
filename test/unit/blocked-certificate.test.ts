import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import { STANDINGS, whileSuspended } from '../../src/domain/edge/admission.ts';
import { afterCertificate } from '../../src/domain/certificate/after-certificate.ts';
import { blockedCertificate } from '../../src/domain/certificate/certificate.ts';
import { STATES } from '../../src/domain/connection/connection.ts';
import { longDriftFindings } from '../../src/domain/connection/long-drift.ts';
import { outlookOf } from '../../src/domain/connection/outlook.ts';
import { DAY } from '../../src/domain/duration.ts';

const START = Date.UTC(2026, 0, 1);

test('a connection waits without end for a blocked certificate and reports no error', () => {
  let row = {
    phase_started_at: new Date(START),
    unasked_ms: 0,
    last_checked_at: null as Date | null,
    error_code: null,
    certificate_status: 'pending',
    fast_until: null,
    findings: [],
  };
  for (let now = START; now < START + 60 * DAY; now += DAY / 2) {
    const { move, change } = afterCertificate(row, blockedCertificate('Suspended.'), { now, random: 0.5 }, REAL_PACE);
    expect([move, change.error_code, change.alsoNotify]).toEqual([null, null, undefined]);
    row = { ...row, unasked_ms: change.unasked_ms ?? 0, last_checked_at: new Date(now) };
  }
});

test('a suspension removes every right that a hostname has', () => {
  expect(STANDINGS.filter((standing) => whileSuspended(standing) === standing)).toEqual([
    'none',
    'archived',
    'blocked',
  ]);
});

test('a hostname that has drifted for 30 days gets a warning; time in which no server could be asked does not count', () => {
  const drifted = { state: 'drifted', hostname: 'a.com', phase_started_at: new Date(START), unasked_ms: 0 } as const;
  const after = (days: number, facts: Parameters<typeof longDriftFindings>[0] = drifted) =>
    longDriftFindings(facts, new Date(START + days * DAY)).map(({ code, severity }) => `${severity} ${code}`);
  expect([after(29.9), after(30)]).toEqual([[], ['warning drifted_long']]);
  expect(after(31, { ...drifted, unasked_ms: 2 * DAY })).toEqual([]);
  expect(after(90, { ...drifted, state: 'live' })).toEqual([]);
});

test('every state has an outlook, and states with a deadline show the deadline', () => {
  const facts = { phase_started_at: new Date(START), unasked_ms: DAY, next_check_at: new Date(START + 60_000), cleanup: 'none' } as const; // prettier-ignore
  const outlooks = Object.fromEntries(STATES.map((state) => [state, outlookOf({ ...facts, state })]));
  expect(outlooks['stalled']).toBe(
    'It waits for its records; it fails on 2026-01-09T01:00:00.000Z. The next check is at 2026-01-01T00:01:00.000Z.',
  );
  expect(outlooks['live']).toBe('The next check is at 2026-01-01T00:01:00.000Z.');
  expect(outlooks['failed']).toBe('Nothing, until it is verified again or archived.');
  expect(outlookOf({ ...facts, state: 'archived', cleanup: 'pending' })).toContain('being removed');
});
