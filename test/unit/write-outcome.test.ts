import { STATES } from '../../src/domain/connection/connection.ts';
import { isSetupByUs } from '../../src/domain/connection/due-work.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { WRITE_DEADLINE } from '../../src/domain/connection/schedule.ts';
import { DAY } from '../../src/domain/duration.ts';
import {
  consequenceOf,
  recordsFor,
  refusedWrite,
  type WriteOutcome,
  type WritingConnection,
} from '../../src/domain/zone/write-outcome.ts';

const NOW = Date.parse('2026-01-10T00:00:00Z');
const record = (host: string): DnsRecord => ({ host, type: 'TXT', value: 'x', ttl: 300, priority: null });
const [challenge, desired] = [record('_service-challenge.shop.test'), record('shop.test')];

test.each([
  [['pending_ownership', 'verifying'], [challenge]],
  [['dns_writing', 'propagating', 'stalled', 'drifted'], [desired]],
] as const)('in %s exactly the records that the state waits for are written', (states, records) => {
  for (const state of states) expect(recordsFor(state, challenge, [desired], false)).toEqual(records);
});

test('in every other state nothing is written', () => {
  const writing = ['pending_ownership', 'verifying', 'dns_writing', 'propagating', 'stalled', 'drifted'];
  for (const state of STATES.filter((one) => !writing.includes(one)))
    expect(recordsFor(state, challenge, [desired], false)).toBeUndefined();
});

const at = (state: WritingConnection['state'], more: Partial<WritingConnection> = {}): WritingConnection => ({
  state,
  phaseStartedAt: NOW - 1_000,
  triedCredential: null,
  repairedAt: [],
  ...more,
});
const written: WriteOutcome = { outcome: 'written', credentialId: 'c1', provider: 'netlify' };
const later: WriteOutcome = { outcome: 'later', sentence: 'Busy.', retryAfterMs: 5_000, credentialId: 'c1' };

test('a successful write clears the error, and moves the connection only if it waits for the write', () => {
  expect(consequenceOf(written, at('dns_writing'), NOW)).toMatchObject({
    trigger: 'written',
    change: { setup_type: 'automatic', error_code: null, findings: [], credential_id: 'c1', provider: 'netlify' },
  });
  expect(consequenceOf(written, at('propagating'), NOW).trigger).toBeNull();
});

test('a repair counts against the day’s budget, and a repair of the day before does not', () => {
  const repairedAt = [NOW - 1_000, NOW - DAY - 1];
  expect(consequenceOf(written, at('drifted', { repairedAt }), NOW).change.repaired_at).toEqual([
    new Date(NOW),
    new Date(NOW - 1_000),
  ]);
  expect(consequenceOf(written, at('propagating', { repairedAt }), NOW).change.repaired_at).toBeUndefined();
});

test('a refused write leaves the records to the customer and gives the reason; the credential is not tried again', () => {
  const refusal = refusedWrite('c1', 'credential_missing_zone', 'No such zone.');
  expect(consequenceOf(refusal, at('dns_writing'), NOW)).toMatchObject({
    trigger: 'writeRefused',
    change: {
      setup_type: 'manual',
      error_code: 'credential_missing_zone',
      reason: 'No such zone.',
      credential_id: 'c1',
    },
  });
  expect(consequenceOf({ outcome: 'not_ours' }, at('dns_writing'), NOW)).toEqual({
    trigger: 'writeRefused',
    change: { setup_type: 'manual', next_check_at: new Date(NOW) },
  });
});

test('a temporary failure is no error during the first hour, and later the retries run alongside the checks', () => {
  const early = consequenceOf(later, at('dns_writing'), NOW);
  expect(early.trigger).toBeNull();
  expect(early.change).not.toHaveProperty('error_code');
  expect(early.change.next_check_at).toEqual(new Date(NOW + 5_000));
  const late = consequenceOf(later, at('dns_writing', { phaseStartedAt: NOW - WRITE_DEADLINE }), NOW);
  expect(late).toMatchObject({ trigger: 'writeTimedOut', change: { error_code: 'dns_write_failed' } });
  expect(consequenceOf(later, at('stalled'), NOW)).toMatchObject({
    trigger: null,
    change: { error_code: 'dns_write_failed', credential_id: 'c1' },
  });
});

test('we set up a verified hostname with a credential that was not refused, or with the credential we began with', () => {
  const manual = { triedCredential: 'c1', setupType: 'manual' } as const;
  expect(isSetupByUs(manual, { credential: null })).toBe(false);
  expect(isSetupByUs(manual, { credential: 'c1' })).toBe(false);
  expect(isSetupByUs(manual, { credential: 'c2' })).toBe(true);
  expect(isSetupByUs({ ...manual, setupType: 'automatic' }, { credential: 'c1' })).toBe(true);
  expect(isSetupByUs({ ...manual, setupType: 'automatic' }, { credential: null })).toBe(false);
});
