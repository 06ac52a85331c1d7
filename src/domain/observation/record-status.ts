import type { Finding, FindingCode } from './finding.ts';
import { sameValue, type DnsRecord } from '../record.ts';

/** How far a record that the customer must set has come, for the people who watch it. */
export const RECORD_STATUSES = ['unchecked', 'missing', 'wrong', 'conflict', 'spreading', 'found'] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

/** What each finding about a record means for it; findings that are not here say nothing about one record. */
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
  /** What the last check of the records saw; empty before the first. */
  checked: readonly (DnsRecord & { propagated: boolean; observed: readonly object[] })[];
}

/** A finding outweighs what was seen: a record can stand and still be wrong for what stands beside it. */
export function recordStatus(record: DnsRecord, { findings, checked }: Evidence): RecordStatus {
  for (const finding of findings) {
    const status = STATUS_OF[finding.code];
    if (status !== undefined && finding.record !== undefined && isSameRecord(finding.record, record)) return status;
  }
  const seen = checked.find((one) => isSameRecord(one, record));
  if (seen === undefined) return 'unchecked';
  if (seen.propagated) return 'found';
  return seen.observed.length === 0 ? 'missing' : 'spreading';
}

const isSameRecord = (a: DnsRecord, b: DnsRecord): boolean =>
  a.host === b.host && a.type === b.type && sameValue(a.type, a.value, b.value);
