import { excludes, isOneOf, type ZoneChange, type ZoneRecord } from '../../src/domain/zone/zone-record.ts';

/** What `apply` promises, without a server: the contract's before and after as a function. */
export function applyTo(zone: readonly ZoneRecord[], { add, remove }: ZoneChange): ZoneRecord[] {
  const staying = zone.filter((record) => !isOneOf(record, remove) || isOneOf(record, add));
  const coming = add
    .filter((record) => !isOneOf(record, staying))
    .map((record): ZoneRecord => {
      const set = staying.find((other) => other.host === record.host && other.type === record.type);
      return { ...record, ttl: set?.ttl ?? record.ttl, id: null, readOnly: false, extra: record.extra ?? null };
    });
  return [...staying, ...coming];
}

/** The same with what it took away; nothing where the provider would refuse, because the result could not stand. */
export function tryApplyTo(
  zone: readonly ZoneRecord[],
  change: ZoneChange,
): { zone: ZoneRecord[]; removed: ZoneRecord[] } | undefined {
  const after = applyTo(zone, change);
  if (after.some((record) => after.some((other) => excludes(record, other)))) return undefined;
  return { zone: after, removed: zone.filter((record) => !after.includes(record)) };
}

/** A zone's content without regard to order, for comparing two. */
export const contentOf = (zone: readonly ZoneRecord[]): string[] =>
  zone
    .map(({ host, type, value, ttl, priority, extra }) => JSON.stringify([host, type, value, ttl, priority, extra]))
    .sort();

/** Its values alone: a set's TTL is whose value was there first, which a history of several owners does not keep. */
export const valuesOf = (zone: readonly ZoneRecord[]): string[] =>
  contentOf(zone.map((record) => ({ ...record, ttl: 0, extra: null })));
