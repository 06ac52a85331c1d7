import { type DnsRecord, type RecordType, sameValue } from '../record.ts';

/**
 * A record as it stands in a customer's zone. What we do not speak (TLSA, HTTPS, PTR …) is `OTHER` with its type and
 * data in the value: we never write such a record, but a CNAME must not be set beside one.
 */
export interface ZoneRecord extends Omit<DnsRecord, 'type'> {
  type: RecordType | 'OTHER';
  /** The provider's own handle, where it gives one to each value. */
  id: string | null;
  /** The provider manages it (an alias, a weighted set, a system record): it can neither be replaced nor removed through us. */
  readOnly: boolean;
  /** What the provider keeps beside the record (proxied, comment …), so that a restored record is the one that stood. */
  extra: Extra | null;
}

export type Extra = Readonly<Record<string, unknown>>;

/** A value to be added. `extra` is only ever set on values that are put back. */
export type Addition = DnsRecord & { extra?: Extra | null };

/** Value by value: what shall stand and what shall go. Everything else in the zone stays as it is. */
export interface ZoneChange {
  add: readonly Addition[];
  remove: readonly Named[];
}

/** What identifies one value in a zone. The TTL belongs to the set, so it is no part of the identity. */
export type Named = Pick<ZoneRecord, 'host' | 'type' | 'value' | 'priority'>;

export const sameRecord = (a: Named, b: Named): boolean =>
  a.host === b.host &&
  a.type === b.type &&
  a.priority === b.priority &&
  (a.type === 'OTHER' ? a.value === b.value : sameValue(a.type, a.value, b.value));

export const isOneOf = (record: Named, records: readonly Named[]): boolean =>
  records.some((other) => sameRecord(record, other));

/** The types that say where a name leads. A name leads to one place, so they are set together or not at all. */
export const isPointer = (record: Pick<Named, 'type'>): boolean =>
  record.type === 'A' || record.type === 'AAAA' || record.type === 'CNAME' || record.type === 'ALIAS';

/** RFC 1034 section 3.6.2: a CNAME stands alone at its name. An ALIAS answers for A and AAAA, so it bears no other pointer. */
export function excludes(a: Named, b: Named): boolean {
  if (a.host !== b.host || sameRecord(a, b)) return false;
  if (a.type === 'CNAME' || b.type === 'CNAME') return true;
  return (a.type === 'ALIAS' || b.type === 'ALIAS') && isPointer(a) && isPointer(b);
}

/** A record that stands can be written back as it was, unless we do not speak its type. */
export function additionOf({ host, type, value, ttl, priority, extra }: ZoneRecord): Addition | undefined {
  return type === 'OTHER' ? undefined : { host, type, value, ttl, priority, extra };
}

/** The names that records stand at, once each. */
export const hostsOf = (records: readonly Pick<Named, 'host'>[]): string[] => [
  ...new Set(records.map((record) => record.host)),
];
