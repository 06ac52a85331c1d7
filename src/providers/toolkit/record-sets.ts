import { sameRecord, type Addition, type Extra, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { RemainingChange } from './remaining-change.ts';

/** All values of one name and type, as a provider lists them: in its own spelling, to be sent back unchanged. */
export interface RecordSet<Value> {
  host: string;
  type: string;
  ttl: number;
  values: readonly Value[];
}

/** How a provider spells one value. */
export interface ValueCodec<Value> {
  /** The provider's name for the type of this record. */
  typeOf(record: Pick<Addition, 'type'>): string;
  encode(record: Addition): Value;
  decode(type: string, value: Value): Pick<ZoneRecord, 'type' | 'value' | 'priority'>;
}

/** A set as it must be written; without values the whole set goes. */
export interface SetWrite<Value, Set extends RecordSet<Value>> {
  host: string;
  type: string;
  ttl: number;
  values: readonly Value[];
  /** As it stands now; undefined if there is none yet. */
  before: Set | undefined;
  /** The records of the set that go. */
  leaving: readonly ZoneRecord[];
  /** What was kept beside the values that come back, such as the set's comments. */
  extra: Extra | null;
}

/**
 * For each set that changes: what stands there, less what goes, plus what comes. Values that stay keep their spelling and
 * their TTL; a value that is put back has the spelling in which it stood.
 */
export function mergeSets<Value, Set extends RecordSet<Value>>(
  { add, remove }: RemainingChange,
  sets: readonly Set[],
  codec: ValueCodec<Value>,
): SetWrite<Value, Set>[] {
  // A type that we do not speak is named in the value.
  const typeOf = ({ type, value }: Pick<ZoneRecord, 'type' | 'value'>): string =>
    type === 'OTHER' ? (value.split(' ')[0] ?? '') : codec.typeOf({ type });
  const names = [...remove, ...add].map((record) => ({ host: record.host, type: typeOf(record) }));
  const touched = new Map(names.map((name) => [`${name.host} ${name.type}`, name]));
  return [...touched.values()].map(({ host, type }) => {
    const before = sets.find((set) => set.host === host && set.type === type);
    const leaving = remove.filter((record) => record.host === host && typeOf(record) === type);
    const isLeaving = (value: Value) =>
      leaving.some((record) => sameRecord(record, { host, ...codec.decode(type, value) }));
    const staying = (before?.values ?? []).filter((value) => !isLeaving(value));
    const coming = add.filter((record) => record.host === host && codec.typeOf(record) === type);
    return {
      host,
      type,
      before,
      leaving,
      ttl: (staying.length > 0 ? before?.ttl : undefined) ?? coming[0]?.ttl ?? before?.ttl ?? 0,
      values: [...staying, ...coming.map((record) => spelled(record, codec))],
      extra: coming.find(({ extra }) => extra)?.extra ?? null,
    };
  });
}

/** A set's values as records. `more` is kept beside each, so that a set that goes and comes back is the one that stood. */
export const recordsOfSet = <Value>(
  { host, type, ttl, values }: RecordSet<Value>,
  codec: ValueCodec<Value>,
  more: { readOnly?: boolean; extra?: Extra } = {},
): ZoneRecord[] =>
  values.map((value) => {
    const decoded = codec.decode(type, value);
    const kept = { ...spellingOf(value, decoded, host, codec), ...more.extra };
    return {
      ...decoded,
      host,
      ttl,
      id: null,
      readOnly: more.readOnly ?? false,
      extra: Object.keys(kept).length === 0 ? null : kept,
    };
  });

/** Only a spelling that is not our own is worth remembering: targets in capitals, text in odd pieces. */
function spellingOf<Value>(
  value: Value,
  decoded: Pick<ZoneRecord, 'type' | 'value' | 'priority'>,
  host: string,
  codec: ValueCodec<Value>,
): Extra {
  const { type } = decoded;
  if (type === 'OTHER') return {};
  const ours = codec.encode({ ...decoded, type, host, ttl: 0 });
  return JSON.stringify(ours) === JSON.stringify(value) ? {} : { spelling: value };
}

/** A spelling that this provider does not read as the very value was kept by another one, from which the zone has moved. */
function spelled<Value>(record: Addition, codec: ValueCodec<Value>): Value {
  const spelling = record.extra?.['spelling'] as Value | undefined;
  return spelling !== undefined && reads(spelling, record, codec) ? spelling : codec.encode(record);
}

function reads<Value>(spelling: Value, record: Addition, codec: ValueCodec<Value>): boolean {
  try {
    return sameRecord({ host: record.host, ...codec.decode(codec.typeOf(record), spelling) }, record);
  } catch {
    // Not even of this provider's form.
    return false;
  }
}
