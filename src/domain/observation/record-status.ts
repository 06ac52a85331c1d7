import type { Finding, FindingCode } from './finding.ts';
import { sameValue, type DnsRecord } from '../record.ts';

/**
 * Progress of a record that the customer adds. `later`: not before the certificate is there. `ready`: the certificate is
 * there, and the record may replace the old one. `pending`: wanted since a change a short time ago. `optional`: another address of the edge is there, which is enough.
 */
export const RECORD_STATUSES = [
  'later',
  'ready',
  'unchecked',
  'pending',
  'missing',
  'wrong',
  'conflict',
  'spreading',
  'optional',
  'found',
] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

/** Status of the record that a finding is about. Findings that are not listed concern no single record. */
const STATUS_OF: Partial<Record<FindingCode, RecordStatus>> = {
  missing: 'missing',
  wrong_value: 'wrong',
  extra_values: 'wrong',
  doubled_host: 'wrong',
  challenge_at_bare_host: 'wrong',
  quoted_value: 'wrong',
  proxied: 'wrong',
  stale_aaaa: 'wrong',
  challenge_is_cname: 'conflict',
  cname_conflict: 'conflict',
  record_conflict: 'conflict',
  ns_inconsistent: 'spreading',
  cached_until: 'spreading',
};

export interface Evidence {
  findings: readonly Finding[];
  /** Records of the last check; empty before the first. */
  checked: readonly (DnsRecord & {
    propagated: boolean;
    optional?: true;
    observed: readonly Pick<DnsRecord, 'type' | 'value'>[];
  })[];
}

/** Returns the status of a record. A finding outweighs the observation: another record can make it wrong. */
export function recordStatus(record: DnsRecord, { findings, checked }: Evidence): RecordStatus {
  for (const finding of findings) {
    const status = STATUS_OF[finding.code];
    if (status !== undefined && finding.record !== undefined && isSameRecord(finding.record, record)) return status;
  }
  const seen = checked.find((one) => isSameRecord(one, record));
  if (seen === undefined) return 'unchecked';
  if (seen.propagated) return 'found';
  if (seen.optional) return 'optional';
  return seen.observed.length === 0 ? 'missing' : 'spreading';
}

const isSameRecord = (a: DnsRecord, b: DnsRecord): boolean =>
  a.host === b.host && a.type === b.type && sameValue(a.type, a.value, b.value);
