import type { ChallengeCheck, RecordsCheck } from '../../src/domain/observation/check.ts';
import {
  afterChallenge,
  afterPropagation,
  afterWatch,
  type CheckedRow,
} from '../../src/domain/connection/consequence.ts';
import { isOutrun } from '../../src/domain/connection/elapsed.ts';
import { REAL_PACE, DRIFTING_PACE } from '../../src/domain/connection/schedule.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const MINUTE = 60_000;
const at = (ms: number) => new Date(NOW + ms);

const row = (changes: Partial<CheckedRow> = {}): CheckedRow => ({
  state: 'verifying',
  setup_type: 'manual',
  error_code: null,
  credential_id: null,
  phase_started_at: at(-60_000),
  unasked_ms: 0,
  fast_until: null,
  last_checked_at: at(-3_000),
  mismatch_count: 0,
  first_mismatch_at: null,
  live_at: null,
  ready_to_point: false,
  ready_at: null,
  records_when_ready: null,
  serve: true,
  proof_target: null,
  record_change: null,
  record_changed_at: null,
  retiring_records: [],
  ...changes,
});
const seen = { sentence: '', findings: [], providers: null, nameservers: null, evidence: null };
const challenge = (verdict: ChallengeCheck['verdict'], more: Partial<ChallengeCheck> = {}): ChallengeCheck => ({
  ...seen,
  verdict,
  observed: [],
  ...more,
});
const records = (verdict: RecordsCheck['verdict']): RecordsCheck => ({ ...seen, verdict, records: [] });
const moment = { now: NOW, tookMs: 0, touched: false, random: 0.5 };
const nothing = { credential: null, driftPolicy: 'notify' } as const;

describe('a clock that is hours off', () => {
  test('on the API machine does not slow the first check: the phase starts at that check, by Temporal’s clock', () => {
    const made = row({ phase_started_at: at(-3 * HOUR), last_checked_at: null });
    const after = afterChallenge(made, challenge('mismatch'), moment, REAL_PACE);
    expect(after).toMatchObject({ waitMs: 3_000, change: { phase_started_at: at(0) } });
  });

  test('and was set back under Temporal ignores no check, lengthens no wait and brings no deadline closer', () => {
    const ahead = row({
      phase_started_at: at(3 * HOUR - 60_000),
      last_checked_at: at(3 * HOUR - 3_000),
      fast_until: at(3 * HOUR + 60_000),
    });
    expect(isOutrun(ahead, NOW)).toBe(false);
    expect(afterChallenge(ahead, challenge('mismatch'), moment, REAL_PACE)).toMatchObject({
      waitMs: 3_000,
      change: { phase_started_at: at(0), unasked_ms: 0 },
    });
    const drifting = row({ state: 'live', mismatch_count: 2, first_mismatch_at: at(3 * HOUR), live_at: at(-HOUR) });
    expect(afterWatch(drifting, records('mismatch'), moment, REAL_PACE)).toMatchObject({
      moves: [],
      waitMs: 60_000,
      change: { mismatch_count: 2, first_mismatch_at: at(0) },
    });
  });

  test('is not mistaken for a check that a newer check has outrun', () => {
    expect(isOutrun(row({ last_checked_at: at(2_000) }), NOW)).toBe(true);
    expect(isOutrun(row({ last_checked_at: at(0) }), NOW)).toBe(false);
  });
});

test('while every server is known to be silent, checks are 30 seconds apart at first and five minutes apart later', () => {
  const waits = [0, 60_000, 10 * 60_000, 10 * HOUR].map(
    (unasked_ms) =>
      afterChallenge(
        row({ unasked_ms, last_checked_at: at(0) }),
        challenge('unknown', { silent: true }),
        moment,
        REAL_PACE,
      )?.waitMs,
  );
  expect(waits).toEqual([30_000, 30_000, 150_000, 300_000]);
});

test('a row that no longer waits for this check stays unchanged', () => {
  expect(afterChallenge(row({ state: 'live' }), challenge('match'), moment, REAL_PACE)).toBeUndefined();
  expect(afterPropagation(row({ state: 'archived' }), records('match'), moment, nothing, REAL_PACE)).toBeUndefined();
  expect(afterWatch(row({ state: 'failed' }), records('match'), moment, REAL_PACE)).toBeUndefined();
});

test('an untried credential is tried as long as the records are missing', () => {
  const waiting = row({ state: 'propagating' });
  const access = { credential: 'c', driftPolicy: 'notify' } as const;
  expect(afterPropagation(waiting, records('mismatch'), moment, access, REAL_PACE)).toMatchObject({
    moves: ['credentialFound'],
    change: { setup_type: 'automatic', error_code: null },
  });
  expect(afterPropagation(waiting, records('match'), moment, access, REAL_PACE)?.moves).toEqual(['recordsSeen']);
});

test('a hostname whose target has not moved is checked every 15 minutes, and quickly after a touch', () => {
  const parked = row({ state: 'propagating', proof_target: 'customers.saas.example' });
  const awaiting = { ...records('match'), awaitsTarget: true as const };
  const after = afterPropagation(parked, awaiting, moment, nothing, REAL_PACE);
  expect(after).toMatchObject({ moves: [], waitMs: 15 * MINUTE });
  const touched = afterPropagation(parked, awaiting, { ...moment, touched: true }, nothing, REAL_PACE);
  expect(touched?.waitMs).toBe(3_000);
});

test('a connection that wants records only is live once they are seen, without a certificate', () => {
  const waiting = row({ state: 'propagating', serve: false });
  expect(afterPropagation(waiting, records('match'), moment, nothing, REAL_PACE)?.moves).toEqual(['recordsInPlace']);
  expect(afterPropagation(waiting, records('mismatch'), moment, nothing, REAL_PACE)?.moves).toEqual([]);
});

test('new records that are missing are drift only when the stall time is over, and are checked often until then', () => {
  const changed = { record_change: 'see', retiring_records: [] } as const;
  const watched = (sinceMs: number) =>
    row({ ...changed, retiring_records: [], state: 'live', live_at: at(-9 * HOUR), record_changed_at: at(-sinceMs) });
  const soon = afterWatch(watched(MINUTE), records('mismatch'), moment, REAL_PACE);
  expect(soon).toMatchObject({ moves: [], change: { mismatch_count: 0, error_code: null } });
  expect(soon?.waitMs).toBeLessThan(10_000);
  expect(afterWatch(watched(HOUR), records('mismatch'), moment, REAL_PACE)?.change.mismatch_count).toBe(1);
  expect(afterWatch(watched(MINUTE), records('match'), moment, REAL_PACE)?.change).toMatchObject({
    record_change: null,
  });
});

test('a temporary write failure stays the reason until the records are published', () => {
  const failing = row({ state: 'propagating', setup_type: 'automatic', error_code: 'dns_write_failed' });
  expect(afterPropagation(failing, records('mismatch'), moment, nothing, REAL_PACE)?.change.error_code).toBe(
    'dns_write_failed',
  );
  expect(afterPropagation(failing, records('match'), moment, nothing, REAL_PACE)?.change.error_code).toBeNull();
});

test('hostnames of drift.test, which lose their records a minute after going live, are drifted within three minutes', () => {
  let watched = row({ state: 'live', live_at: at(0), last_checked_at: at(0), phase_started_at: at(0) });
  for (let now = 0; now <= 180_000;) {
    const verdict = now < 60_000 ? 'match' : 'mismatch';
    // At the longest waits that the jitter allows.
    const after = afterWatch(watched, records(verdict), { ...moment, now: NOW + now, random: 0.999 }, DRIFTING_PACE);
    if (after?.moves.includes('recordsDrifted')) return;
    watched = { ...watched, ...after?.change };
    now += after?.waitMs ?? Infinity;
  }
  throw new Error('It was not drifted after three minutes.');
});

describe('the error code', () => {
  const missing = { code: 'missing', severity: 'error', message: 'Missing.', fix: null } as const;
  const misplaced = { code: 'challenge_at_bare_host', severity: 'error', message: 'Misplaced.', fix: null } as const;
  const challengeAfter = (minutes: number, findings: ChallengeCheck['findings'], more: Partial<CheckedRow> = {}) => {
    const waiting = row({ phase_started_at: at(-minutes * MINUTE), last_checked_at: at(-3_000), ...more });
    return afterChallenge(waiting, challenge('mismatch', { findings }), moment, REAL_PACE)?.change.error_code;
  };
  const recordsAfter = (minutes: number, findings: RecordsCheck['findings'], state: 'propagating' | 'stalled') => {
    const waiting = row({ state, phase_started_at: at(-minutes * MINUTE), last_checked_at: at(-3_000) });
    const check = { ...records('mismatch'), findings };
    return afterPropagation(waiting, check, moment, nothing, REAL_PACE)?.change.error_code;
  };

  test('is null while a customer has the usual ten minutes to publish the challenge, since the last touch', () => {
    expect(challengeAfter(9, [missing])).toBeNull();
    expect(challengeAfter(11, [missing])).toBe('ownership_not_found');
    expect(challengeAfter(60, [missing], { fast_until: at(-7 * MINUTE) })).toBeNull();
    expect(challengeAfter(60, [missing], { fast_until: at(-9 * MINUTE) })).toBe('ownership_not_found');
  });

  test('shows a mistake at the challenge without delay', () => {
    expect(challengeAfter(1, [misplaced])).toBe('ownership_not_found');
  });

  test('is record_missing for missing records, and only once the connection is stalled', () => {
    expect(recordsAfter(30, [missing], 'propagating')).toBeNull();
    expect(recordsAfter(61, [missing], 'propagating')).toBe('record_missing');
    expect(recordsAfter(90, [missing], 'stalled')).toBe('record_missing');
    expect(recordsAfter(1, [missing, { ...missing, code: 'wrong_value' }], 'propagating')).toBe('record_conflict');
  });
});

test('a sandbox at 1,440 times the speed fails an unproved hostname after fourteen minutes', () => {
  const movesAfter = (minutes: number) => {
    const waiting = row({ phase_started_at: at(-minutes * MINUTE), last_checked_at: at(-3_000) });
    return afterChallenge(waiting, challenge('mismatch'), moment, { ...REAL_PACE, speed: 1_440 })?.moves;
  };
  expect(movesAfter(13)).not.toContain('ownershipTimedOut');
  expect(movesAfter(14)).toContain('ownershipTimedOut');
});
