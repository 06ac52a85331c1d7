import { displacedBy, restorable, type Written } from './plan.ts';
import { isOneOf, sameRecord, type ZoneChange, type ZoneRecord } from './zone-record.ts';

export interface Undo {
  change: ZoneChange;
  /** Rows whose value no longer stands as we wrote it: somebody changed or removed it, so it is theirs now. */
  surrendered: readonly Written[];
}

/**
 * How to leave a zone as it was before we came: take away exactly our values that still stand, and put back what they
 * had displaced unless the customer has since set the name otherwise. It holds for one plan just applied and for a
 * ledger months old alike, because it asks the zone and not our memory what is there.
 */
export function undo(current: readonly ZoneRecord[], owned: readonly Written[]): Undo {
  const ours = current.filter((record) => owned.some((written) => sameRecord(written.record, record)));
  const standing = current.filter((record) => !ours.includes(record));
  const hosts = [...new Set(ours.map((record) => record.host))];
  return {
    change: {
      add: hosts.flatMap((host) => restorable(displacedBy(host, ours, owned), standing)),
      remove: ours,
    },
    surrendered: owned.filter((written) => !isOneOf(written.record, current)),
  };
}
