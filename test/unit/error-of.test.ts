import fc from 'fast-check';
import { ERROR_CODES, type ConnectionError } from '../../src/domain/connection/connection.ts';
import { errorOf, errorOfUnknown, keepRefusal } from '../../src/domain/connection/error-of.ts';
import { FINDING_CODES, type Finding, type FindingCode } from '../../src/domain/observation/finding.ts';

const finding = (code: FindingCode, severity: Finding['severity'] = 'error'): Finding => ({
  code,
  severity,
  message: '',
  fix: null,
});

/** Findings that are only ever warnings or information. */
const NEVER_ERRORS: FindingCode[] = [
  'flattened_ok',
  'cached_until',
  'ns_inconsistent',
  'credential_expiring',
  'domain_connect_refused',
  'wildcard_covers_hostname',
  'mail_record_changed',
  'provider_paused',
  'drifted_long',
  'acme_challenge_taken',
  'wildcard_needs_dns',
  'cutover_reverted',
  'dangling',
  'domain_expiring',
  'registered_anew',
  'domain_gone',
];

test('every finding of severity error puts an error on the connection, and no other does', () => {
  for (const code of FINDING_CODES.filter((one) => !NEVER_ERRORS.includes(one)))
    expect([code, ERROR_CODES.includes(errorOf([finding(code)]) as ConnectionError)]).toEqual([code, true]);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...FINDING_CODES)), (codes) => {
      expect(errorOf(codes.map((code) => finding(code, 'warning')))).toBeNull();
    }),
  );
});

test('a finding that hides every record comes before a finding about a single record', () => {
  expect(errorOf([finding('missing'), finding('dnssec_bogus')])).toBe('dnssec_bogus');
  expect(errorOf([finding('wrong_value'), finding('stale_aaaa')])).toBe('stale_aaaa');
  expect(errorOf([finding('missing'), finding('nameserver_changed', 'warning')])).toBe('nameserver_changed');
});

test('a target of ours that cannot be resolved does not blame the customer’s name servers', () => {
  expect(errorOfUnknown([finding('edge_unreachable', 'warning')])).toBe('edge_unreachable');
  expect(errorOfUnknown([])).toBe('nameserver_unreachable');
});

test('an error left by a refused write stays, and an error found by a check gives way to the next check', () => {
  const row = { error_code: 'record_conflict', setup_type: 'manual', credential_id: 'c' } as const;
  expect(keepRefusal(row, null)).toBe('record_conflict');
  expect(keepRefusal({ ...row, credential_id: null }, null)).toBeNull();
  expect(keepRefusal({ ...row, setup_type: 'automatic' }, 'proxied')).toBe('proxied');
});
