import { DAY } from '../duration.ts';
import type { Finding } from '../observation/finding.ts';
import type { RecordsCheck } from '../observation/check.ts';
import { asTyped } from '../observation/record-findings.ts';
import { sameValue, type DnsRecord } from '../record.ts';
import { isPointer } from '../zone/zone-record.ts';

/** Times after an archive at which we check whether the hostname still points here. */
const CHECKS = [1 * DAY, 7 * DAY, 30 * DAY];

/** Returns the newest check that is due, and the time until the next one; null if there is none. */
export function departureAt(
  archivedAt: number,
  checkedAt: number | null,
  now: number,
  speed: number,
): { isDue: boolean; nextMs: number | null } {
  const times = CHECKS.map((after) => archivedAt + after / speed);
  const last = times.findLast((time) => time <= now);
  const next = times.find((time) => time > now);
  return {
    isDue: last !== undefined && (checkedAt === null || checkedAt < last),
    nextMs: next === undefined ? null : next - now,
  };
}

/** Returns the published records that still point here. A missing answer is no record. */
export function danglingRecords({ records }: Pick<RecordsCheck, 'records'>): DnsRecord[] {
  const found = records.filter(isPointer).flatMap(({ host, type, value, propagated, observed }) =>
    observed
      .filter((seen) =>
        seen.type === type
          ? sameValue(type, seen.value, value)
          : pointsHere(type, seen.type, value, seen.value, propagated),
      )
      .map(({ type: seenType, value: seenValue, ttl, priority }) => ({
        host,
        type: seenType,
        value: seenValue,
        ttl,
        priority,
      })),
  );
  return [...new Map(found.map((record) => [asTyped(record) + record.host, record])).values()];
}

/** Whether a record of another type than the wanted one points here: an alias at the apex, or its addresses. */
const pointsHere = (
  wanted: DnsRecord['type'],
  seen: DnsRecord['type'],
  target: string,
  value: string,
  isPropagated: boolean,
): boolean =>
  seen === 'CNAME' ? sameValue('CNAME', value, target) : isPropagated && (wanted === 'ALIAS' || wanted === 'CNAME');

export const danglingFinding = (hostname: string, records: readonly DnsRecord[]): Finding => {
  const shown = records.map((record) => `${asTyped(record)} at ${record.host}`).join(', ');
  return {
    code: 'dangling',
    severity: 'warning',
    message: `${hostname} was disconnected, but its DNS still points here. Another customer of this service could connect it.`,
    fix: `Delete ${shown}.`,
    records: [...records],
    params: { hostname, records: shown },
  };
};
