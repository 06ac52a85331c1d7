import { plan, type Conflict, type ConflictPolicy } from './plan.ts';
import type { DnsRecord } from '../record.ts';
import { isOneOf, type ZoneRecord } from './zone-record.ts';

/** Expected result of automatic setup, from the last check of DNS. The zone itself is read when we write. */
export interface ExpectedPlan {
  creates: readonly DnsRecord[];
  /** Wanted records that exist already. */
  keeps: readonly DnsRecord[];
  /** Other records at the same names, which stay. */
  untouched: readonly ZoneRecord[];
  conflicts: readonly Conflict[];
}

export function expectedPlan(
  wanted: readonly DnsRecord[],
  seen: readonly DnsRecord[],
  policy: ConflictPolicy,
): ExpectedPlan {
  const current = seen.map((record): ZoneRecord => ({ ...record, id: null, extra: null, readOnly: false }));
  const made = plan({ current, desired: wanted, owned: [], policy });
  const stays = (record: ZoneRecord) => !isOneOf(record, made.keeps) && !isOneOf(record, made.removals);
  return {
    creates: made.creates.map(({ record }) => record),
    keeps: made.keeps,
    untouched: current.filter(stays),
    conflicts: made.conflicts,
  };
}
