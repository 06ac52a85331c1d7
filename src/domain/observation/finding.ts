import type { DnsRecord } from '../record.ts';

/** What a check can tell the customer who waits: a stable code, a plain sentence, and the exact thing that puts it right. */
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
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

export type FindingParams = Readonly<Record<string, string>>;

export interface Finding {
  code: FindingCode;
  severity: 'info' | 'warning' | 'error';
  message: string;
  /** What to do, in words a person can follow without knowing DNS; null when there is nothing to do. */
  fix: string | null;
  /** The record that, once it stands like this, makes the finding go away. */
  record?: DnsRecord;
  /**
   * The values in the sentence, by name, so that it can be said in another language by code. Left out where the sentence
   * is in a provider's or an authority's own words, or for the tenant alone.
   */
  params?: FindingParams;
}
