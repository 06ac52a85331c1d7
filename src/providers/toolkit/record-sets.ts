import { sameRecord, type Addition, type Extra, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { RemainingChange } from './remaining-change.ts';

/** All values of one name and type, in the provider's own spelling, to be sent back unchanged. */
export interface RecordSet<Value> {
  host: string;
  type: string;
  ttl: number;
  values: readonly Value[];
}

/** Conversion between our values and the provider's spelling. */
export interface ValueCodec<Value> {
  typeOf(record: Pick<Addition, 'type'>): string;
  encode(record: Addition): Value;
  decode(type: string, value: Value): Pick<ZoneRecord, 'type' | 'value' | 'priority'>;
}

/** A record set to write. A set without values is deleted. */
export interface SetWrite<Value, Set extends RecordSet<Value>> {
  host: string;
  type: string;
  ttl: number;
  values: readonly Value[];
  /** The current set; undefined if there is none. */
  before: Set | undefined;
  /** The records of the set to remove. */
  leaving: readonly ZoneRecord[];
  /** Data that the provider keeps with a set, such as its comments, for values that are put back. */
  extra: Extra | null;
}

/** Returns every record set that changes. Values that stay or are put back keep their spelling and TTL. */
export function mergeSets<Value, Set extends RecordSet<Value>>(
  { add, remove }: RemainingChange,
  sets: readonly Set[],
  codec: ValueCodec<Value>,
): SetWrite<Value, Set>[] {
  // The value of an unsupported type begins with the name of the type.
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

/** Returns the values of a set as records. Each record keeps `more`, so that the set can be put back unchanged. */
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

/** Returns the spelling of a value if it differs from ours: a target in capitals, a TXT in unusual pieces. */
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

/** Returns the kept spelling only if this provider reads it as the same value; it may be another provider's. */
function spelled<Value>(record: Addition, codec: ValueCodec<Value>): Value {
  const spelling = record.extra?.['spelling'] as Value | undefined;
  return spelling !== undefined && reads(spelling, record, codec) ? spelling : codec.encode(record);
}

function reads<Value>(spelling: Value, record: Addition, codec: ValueCodec<Value>): boolean {
  try {
    return sameRecord({ host: record.host, ...codec.decode(codec.typeOf(record), spelling) }, record);
  } catch {
    // The spelling has another provider's form.
    return false;
  }
}
