import { restoresAt, type Displacement } from './displacement.ts';
import { expectedOf, type Written } from './plan.ts';
import { hostsOf, isOneOf, type Named, sameRecord, type ZoneChange, type ZoneRecord } from './zone-record.ts';

export interface Undo {
  change: ZoneChange;
  /** Values that are not ours to remove any more: the customer changed or removed them, or another purpose keeps them. */
  surrendered: readonly Written[];
  /** Names to which nothing returns while values of another purpose stand there: their snapshot waits for that purpose. */
  left: readonly string[];
}

/**
 * How to leave a zone as it was before we came: take away exactly our values that still stand, and put back what they
 * had displaced unless the customer has since set the name otherwise. It holds for one plan just applied and for a
 * ledger months old alike, because it asks the zone and not our memory what is there. `displaced` are the snapshot's
 * layers at our names, oldest first and whichever purpose displaced them; `reserved` is what we wrote for another purpose.
 */
export function undo(
  current: readonly ZoneRecord[],
  owned: readonly Written[],
  { displaced = [], reserved = [] }: { displaced?: readonly Displacement[]; reserved?: readonly Named[] } = {},
): Undo {
  const layers = [...displaced, ...expectedOf(owned)];
  const ours = current.filter(
    (record) => owned.some((written) => sameRecord(written.record, record)) && !isOneOf(record, reserved),
  );
  const standing = current.filter((record) => !ours.includes(record));
  const remaining = standing.filter((record) => isOneOf(record, reserved));
  const add = hostsOf(layers).flatMap((host) => restoresAt(host, layers, { leaving: ours, standing, remaining }));
  return {
    change: { add, remove: ours },
    surrendered: owned.filter(({ record }) => !isOneOf(record, ours)),
    left: hostsOf(remaining).filter((host) => !add.some((record) => record.host === host)),
  };
}
