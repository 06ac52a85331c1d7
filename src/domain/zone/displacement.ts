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

/** Records that one write of ours displaced at one name. Undo restores the name from these layers. */
export interface Displacement {
  host: string;
  records: readonly ZoneRecord[];
  /** No pointer of ours existed next to these, so they were all that the owner had at the name. */
  whole: boolean;
}

/** Groups displaced records by name. `ours` are our values from before the write, which are not displaced. */
export function displacementsOf(removed: readonly ZoneRecord[], ours: readonly Named[]): Displacement[] {
  const theirs = removed.filter((record) => !isOneOf(record, ours));
  return hostsOf(theirs).map((host) => ({
    host,
    records: theirs.filter((record) => record.host === host),
    whole: !ours.some((record) => record.host === host && isPointer(record)),
  }));
}

export interface Vacated {
  /** Our values that are removed now. */
  leaving: readonly Named[];
  /** All other records at the name. */
  standing: readonly Named[];
  /** Values of ours that stay, for any purpose. Records that they exclude return when they are removed. */
  remaining: readonly Named[];
}

/**
 * Returns the records to restore at a name that we give up, from layers ordered oldest first. The newest layer wins;
 * older ones add what it does not exclude. Nothing returns to a name that its owner has pointed elsewhere.
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
