import { restoresAt, type Displacement } from './displacement.ts';
import { expectedOf, type Written } from './plan.ts';
import { hostsOf, isOneOf, type Named, sameRecord, type ZoneChange, type ZoneRecord } from './zone-record.ts';

export interface UndoPlan {
  change: ZoneChange;
  /** Values that are no longer ours to remove: the customer changed or removed them, or another purpose keeps them. */
  surrendered: readonly Written[];
  /** Names that get nothing back while values of another purpose exist there. Their layers wait for that purpose. */
  left: readonly string[];
}

/**
 * Plans to remove exactly our values and restore what they displaced, unless the customer changed the name. The zone
 * decides, not our memory. `displaced`: layers, oldest first. `reserved`: our values of another purpose.
 */
export function planUndo(
  current: readonly ZoneRecord[],
  owned: readonly Written[],
  { displaced = [], reserved = [] }: { displaced?: readonly Displacement[]; reserved?: readonly Named[] } = {},
): UndoPlan {
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
