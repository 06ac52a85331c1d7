import type { DnsRecord } from '../record.ts';

/** Codes of findings. A finding has a stable code, a plain sentence, and the exact fix. */
export const FINDING_CODES = [
  'wrong_value',
  'missing',
  'extra_values',
  'doubled_host',
  'challenge_at_bare_host',
  'challenge_is_cname',
  'quoted_value',
  'proxied',
  'flattened_ok',
  'stale_aaaa',
  'cname_conflict',
  'caa_blocked',
  'dnssec_bogus',
  'ns_inconsistent',
  'cached_until',
  'nameserver_changed',
  'nameserver_unreachable',
  'hostname_conflict',
  'wildcard_covers_hostname',
  'credential_invalid',
  'credential_missing_zone',
  'credential_expiring',
  'record_conflict',
  'dns_write_failed',
  'cert_failed',
  'ca_rate_limited',
  'edge_unreachable',
  'domain_connect_refused',
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
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** Codes of findings that are made when a connection is shown, from data that the connection's row does not have. */
const SHOWN_ONLY = [
  'credential_expiring',
  'domain_connect_refused',
  'provider_paused',
  'drifted_long',
  'domain_expiring',
  'registered_anew',
  'domain_gone',
] as const satisfies readonly FindingCode[];

/** A code of findings that a check saves, so that connections can be listed by it. */
export type SavedFindingCode = Exclude<FindingCode, (typeof SHOWN_ONLY)[number]>;
export const SAVED_FINDING_CODES = FINDING_CODES.filter(
  (code): code is SavedFindingCode => !(SHOWN_ONLY as readonly FindingCode[]).includes(code),
);

export type FindingParams = Readonly<Record<string, string>>;

export interface Finding {
  code: FindingCode;
  severity: 'info' | 'warning' | 'error';
  message: string;
  /** Instruction for a person without knowledge of DNS; null if there is nothing to do. */
  fix: string | null;
  /** The record that resolves the finding once it exists. */
  record?: DnsRecord;
  /** Records that must exist before all others, in the order in which to add them. For `dangling`: records to delete. */
  records?: DnsRecord[];
  /** Values in the message by name, for translations. Absent if the message is another party's own text. */
  params?: FindingParams;
}
