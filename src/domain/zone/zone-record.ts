import { type DnsRecord, type RecordType, sameValue } from '../record.ts';

/** A record in a customer's zone. We never write `OTHER` types (TLSA, HTTPS …), but they exclude a CNAME. */
export interface ZoneRecord extends Omit<DnsRecord, 'type'> {
  type: RecordType | 'OTHER';
  /** The provider's id of the value, if it has one. */
  id: string | null;
  /** The provider manages the record, so we can neither replace nor remove it. */
  readOnly: boolean;
  /** Provider-specific settings (proxied, comment …), so that a restored record equals the original. */
  extra: Extra | null;
}

export type Extra = Readonly<Record<string, unknown>>;

/** A value to add. Only restored values have `extra`. */
export type Addition = DnsRecord & { extra?: Extra | null };

/** Values to add and to remove. Everything else in the zone stays. */
export interface ZoneChange {
  add: readonly Addition[];
  remove: readonly Named[];
  /** New TTLs of whole record sets. Only providers with `limits.atomic` can change a TTL without a gap. */
  retime?: readonly NewTtl[];
}

export type NewTtl = Pick<Named, 'host' | 'type'> & { ttl: number };

/** Identity of a value in a zone. The TTL belongs to the record set and is not part of it. */
export type Named = Pick<ZoneRecord, 'host' | 'type' | 'value' | 'priority'>;

export const sameRecord = (a: Named, b: Named): boolean =>
  a.host === b.host &&
  a.type === b.type &&
  a.priority === b.priority &&
  (a.type === 'OTHER' ? a.value === b.value : sameValue(a.type, a.value, b.value));

export const isOneOf = (record: Named, records: readonly Named[]): boolean =>
  records.some((other) => sameRecord(record, other));

/** Whether the record determines where the name points. All pointers of a name are written together or not at all. */
export const isPointer = (record: Pick<Named, 'type'>): boolean =>
  record.type === 'A' || record.type === 'AAAA' || record.type === 'CNAME' || record.type === 'ALIAS';

/** Whether two records cannot both exist: a CNAME with any other (RFC 1034 3.6.2), an ALIAS with other pointers. */
export function excludes(a: Named, b: Named): boolean {
  if (a.host !== b.host || sameRecord(a, b)) return false;
  if (a.type === 'CNAME' || b.type === 'CNAME') return true;
  return (a.type === 'ALIAS' || b.type === 'ALIAS') && isPointer(a) && isPointer(b);
}

/** Returns a record as an addition that restores it; undefined for a type that we do not support. */
export function additionOf({ host, type, value, ttl, priority, extra }: ZoneRecord): Addition | undefined {
  return type === 'OTHER' ? undefined : { host, type, value, ttl, priority, extra };
}

export const hostsOf = (records: readonly Pick<Named, 'host'>[]): string[] => [
  ...new Set(records.map((record) => record.host)),
];
