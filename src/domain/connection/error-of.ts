import { STICKY_ERRORS, type ConnectionError, type SetupType } from './connection.ts';
import type { Finding, FindingCode } from '../observation/finding.ts';

/** The error code for each finding, gravest first: a fault that hides every record comes before a fault of one. */
const ERROR_OF = {
  hostname_conflict: 'hostname_conflict',
  dnssec_bogus: 'dnssec_bogus',
  edge_unreachable: 'edge_unreachable',
  nameserver_unreachable: 'nameserver_unreachable',
  nameserver_changed: 'nameserver_changed',
  challenge_is_cname: 'ownership_not_found',
  challenge_at_bare_host: 'ownership_not_found',
  credential_invalid: 'credential_invalid',
  credential_missing_zone: 'credential_missing_zone',
  dns_write_failed: 'dns_write_failed',
  proxied: 'proxied',
  stale_aaaa: 'stale_aaaa',
  record_conflict: 'record_conflict',
  cname_conflict: 'record_conflict',
  wrong_value: 'record_conflict',
  extra_values: 'record_conflict',
  doubled_host: 'record_conflict',
  quoted_value: 'record_conflict',
  missing: 'record_missing',
  caa_blocked: 'caa_blocked',
  ca_rate_limited: 'ca_rate_limited',
  cert_failed: 'cert_failed',
} as const satisfies Partial<Record<FindingCode, ConnectionError>>;

const GRAVEST_FIRST = Object.keys(ERROR_OF) as (keyof typeof ERROR_OF)[];

/** Returns the error code of the gravest finding of severity error; null if there is none. */
export function errorOf(findings: readonly Finding[]): ConnectionError | null {
  const isError = new Set<FindingCode>(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code));
  // If the zone has moved to other name servers, missing records are a consequence of the move.
  const hasMoved = isError.size > 0 && findings.some(({ code }) => code === 'nameserver_changed');
  const gravest = GRAVEST_FIRST.find((code) => isError.has(code) || (hasMoved && code === 'nameserver_changed'));
  return gravest === undefined ? null : ERROR_OF[gravest];
}

/** Returns the error code for a check without a verdict. Findings of every severity count. */
export function errorOfUnknown(findings: readonly Finding[]): ConnectionError {
  const codes = new Set<FindingCode>(findings.map(({ code }) => code));
  if (codes.has('ns_inconsistent') && !codes.has('dnssec_bogus')) return 'nameserver_changed';
  const gravest = GRAVEST_FIRST.find((code) => codes.has(code));
  return gravest === undefined ? 'nameserver_unreachable' : ERROR_OF[gravest];
}

export interface WriteRefusal {
  error_code: ConnectionError | null;
  setup_type: SetupType;
  credential_id: string | null;
}

/** Keeps the error of a refused write until a write succeeds. Checks neither clear nor replace it. */
export function keepRefusal(row: WriteRefusal, code: ConnectionError | null): ConnectionError | null {
  const wasRefused = row.setup_type === 'manual' && row.credential_id !== null;
  return wasRefused && row.error_code !== null && STICKY_ERRORS.has(row.error_code) ? row.error_code : code;
}
