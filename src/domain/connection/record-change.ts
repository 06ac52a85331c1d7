import { isSpf } from '../email/spf.ts';
import type { Verdict } from '../observation/verdict.ts';
import { holdsOneText, type DnsRecord } from '../record.ts';
import { isOneOf } from '../zone/zone-record.ts';
import type { DesiredRecord } from './edge-addresses.ts';

/** Progress of a change of a proved connection's records: write the new ones, see them, remove our old ones. */
export const RECORD_CHANGES = ['write', 'see', 'remove'] as const;
export type RecordChange = (typeof RECORD_CHANGES)[number];

export interface ChangeFacts {
  /** Null if no change is in progress. */
  record_change: RecordChange | null;
  record_changed_at: Date | null;
  /** Records of before the change. Ours stay until the new ones are seen. */
  retiring_records: DesiredRecord[];
}

export const NO_CHANGE: ChangeFacts = { record_change: null, record_changed_at: null, retiring_records: [] };

/** Returns the change from the present records to others. An unproved connection has written none. */
export function changeTo(
  next: readonly DesiredRecord[],
  before: { desired_records: readonly DesiredRecord[] } & Pick<ChangeFacts, 'retiring_records'>,
  { isProved, now }: { isProved: boolean; now: Date },
): ChangeFacts {
  if (!isProved) return NO_CHANGE;
  const old = [...before.desired_records, ...before.retiring_records].filter((record) => !isOneOf(record, next));
  const retiring_records = old.filter((record) => !next.some((other) => excludes(other, record)));
  return { record_change: 'write', record_changed_at: now, retiring_records };
}

/** Whether two records cannot exist together, so that one replaces the other in a single change. */
function excludes(a: DnsRecord, b: DnsRecord): boolean {
  if (a.host !== b.host) return false;
  if (a.type === 'CNAME' || b.type === 'CNAME') return true;
  return a.type === 'TXT' && b.type === 'TXT' && (holdsOneText(a.host) || (isSpf(a.value) && isSpf(b.value)));
}

/** Returns what a write that succeeded, or that is left to the customer, changes. */
export const afterChangeWritten = ({ record_change }: Pick<ChangeFacts, 'record_change'>): Partial<ChangeFacts> => {
  if (record_change === null) return {};
  return record_change === 'remove' ? NO_CHANGE : { record_change: 'see' };
};

/** Returns what a check changes: once the new records are seen, our old ones go. */
export const afterChangeChecked = (
  { record_change, retiring_records }: ChangeFacts,
  verdict: Verdict,
): Partial<ChangeFacts> => {
  if (record_change === null || record_change === 'remove' || verdict !== 'match') return {};
  return retiring_records.length === 0 ? NO_CHANGE : { record_change: 'remove' };
};

/** Whether the new records may still be missing without being drift. */
export const isChangePending = (
  { record_change, record_changed_at }: Pick<ChangeFacts, 'record_change' | 'record_changed_at'>,
  now: number,
  stallAfterMs: number,
): boolean =>
  record_change !== null && record_change !== 'remove' && now - (record_changed_at?.getTime() ?? 0) < stallAfterMs;
