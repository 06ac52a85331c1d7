import { plan, type Conflict, type ConflictPolicy } from './plan.ts';
import type { DnsRecord } from '../record.ts';
import { isOneOf, type ZoneRecord } from './zone-record.ts';

/** What automatic setup is expected to do, by what the last check saw in DNS; the zone itself is read when it writes. */
export interface ExpectedPlan {
  creates: readonly DnsRecord[];
  /** Wanted, and standing already. */
  keeps: readonly DnsRecord[];
  /** Standing at the same names, and left as they are. */
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
