import {
  type Addition,
  additionOf,
  excludes,
  hostsOf,
  isOneOf,
  isPointer,
  type Named,
  type ZoneRecord,
} from './zone-record.ts';

/** What one write of ours took away at one name: a layer of the snapshot from which undo restores the name. */
export interface Displacement {
  host: string;
  records: readonly ZoneRecord[];
  /** No pointer of ours stood beside these, so they were all that the zone's owner had at the name. */
  whole: boolean;
}

/** What a write displaced, name by name. `ours` are our values that stood before it: what is ours is not displaced. */
export function displacementsOf(removed: readonly ZoneRecord[], ours: readonly Named[]): Displacement[] {
  const theirs = removed.filter((record) => !isOneOf(record, ours));
  return hostsOf(theirs).map((host) => ({
    host,
    records: theirs.filter((record) => record.host === host),
    whole: !ours.some((record) => record.host === host && isPointer(record)),
  }));
}

export interface Vacated {
  /** Our values that leave the zone now. */
  leaving: readonly Named[];
  /** What stands without them. */
  standing: readonly Named[];
  /** Those of what stands that are ours and stay, for this purpose or another: what they block returns when they go. */
  remaining: readonly Named[];
}

/**
 * What returns to a name that we give up, from layers that are ordered oldest first. The owner's newest layer that can
 * stand wins; older ones fill up what it does not contradict, unless it was all that the owner had there. Nothing
 * returns to a name that its owner has pointed elsewhere instead of ours, for that was their last decision, and nothing
 * yet to one where values of ours that stay are in the way.
 */
export function restoresAt(
  host: string,
  layers: readonly Displacement[],
  { leaving, standing, remaining }: Vacated,
): readonly Addition[] {
  const pointsHere = (record: Named) => record.host === host && isPointer(record);
  const pointers = standing.filter(pointsHere);
  if (pointers.length > 0 && !leaving.some(pointsHere)) return [];
  if (pointers.some((record) => isOneOf(record, remaining))) return [];
  const returning: ZoneRecord[] = [];
  for (const layer of layers.filter((one) => one.host === host).toReversed()) {
    const before = returning.length;
    if (layer.records.some((record) => remaining.some((other) => excludes(record, other)))) return [];
    for (const record of layer.records) {
      if (isOneOf(record, returning) || [...standing, ...returning].some((other) => excludes(record, other))) continue;
      returning.push(record);
    }
    if (layer.whole && returning.length > before) break;
  }
  return returning
    .filter((record) => !isOneOf(record, standing))
    .map(additionOf)
    .filter((addition) => addition !== undefined);
}
