import { isDmarc } from '../email/dmarc.ts';
import { isSpf } from '../email/spf.ts';
import type { Finding } from '../observation/finding.ts';
import { sameValue, type DnsRecord } from '../record.ts';

/** Whether a name can hold only one such record, so that two connections cannot both have theirs there. */
export const isExclusive = ({ type, value }: Pick<DnsRecord, 'type' | 'value'>): boolean =>
  type === 'CNAME' || (type === 'TXT' && (isDmarc(value) || isSpf(value)));

/** Whether both records belong to the kind of which a name holds one, with different values. */
function rules(earlier: DnsRecord, later: DnsRecord): boolean {
  if (earlier.host !== later.host || sameValue(later.type, earlier.value, later.value)) return false;
  if (earlier.type === 'CNAME' || later.type === 'CNAME') return earlier.type === later.type;
  return [isDmarc, isSpf].some((isKind) => isKind(earlier.value) && isKind(later.value));
}

/** Returns findings about records that a connection which was created earlier wants differently. */
export const rivalFindings = (wanted: readonly DnsRecord[], earlier: readonly DnsRecord[]): Finding[] =>
  wanted
    .filter((record) => isExclusive(record) && earlier.some((other) => isExclusive(other) && rules(other, record)))
    .map((record) => ({
      code: 'record_conflict',
      severity: 'error',
      message: `Another connection that was created earlier wants another ${record.type} record at ${record.host}.`,
      fix: 'Archive one of the two connections, or change its variables, so that both want the same record.',
      record,
    }));
