import { isInZone, type DnsRecord } from '../record.ts';
import { excludes, isOneOf, isPointer, type Addition, type Extra, type Named, type ZoneRecord } from './zone-record.ts';

/**
 * A wildcard answers only for names that do not exist. A name exists as soon as a record exists at it or below it (RFC
 * 4592 section 2.2), so the first record below a hostname takes the hostname out of DNS if only a wildcard answers for
 * it. Before such a record is written, the wildcard's records are copied to every name that begins to exist.
 */
export interface WildcardCopies {
  /** Owner name of the copied records. */
  wildcard: string;
  /** The copies, in the order in which to write them. */
  records: readonly Addition[];
}

const parentOf = (name: string): string => name.split('.').slice(1).join('.');

/** Returns the names strictly between a name and its zone, closest first. */
export function namesAbove(name: string, zone: string): string[] {
  const names: string[] = [];
  for (let above = parentOf(name); above !== zone && isInZone(above, zone); above = parentOf(above)) names.push(above);
  return names;
}

/**
 * Returns the names that begin to exist with a record below `name`. The encloser is the closest name above that exists.
 * Names between both get a wildcard of their own, or their other children would vanish. It comes before its parent, so
 * that a provider that writes one record at a time never leaves `name` without an answer.
 */
export const namesToCopy = (name: string, encloser: string): string[] => [
  ...namesAbove(name, encloser)
    .toReversed()
    .flatMap((above) => [`*.${above}`, above]),
  name,
];

/**
 * Returns the hostnames that records may take out of DNS: for each record, the closest hostname at it or above it that
 * does not get pointers of its own. A label with an underscore is no hostname (RFC 8552).
 */
export function hostnamesAtRisk(records: readonly Named[], zone: string): string[] {
  const isHostname = (name: string) => !name.split('.').some((label) => label.startsWith('_'));
  const isPointed = (name: string) => records.some((record) => record.host === name && isPointer(record));
  const names = records
    .filter(({ host }) => host !== zone)
    .flatMap(
      ({ host }) => [host, ...namesAbove(host, zone)].find((name) => isHostname(name) && !isPointed(name)) ?? [],
    );
  return [...new Set(names)];
}

/** Returns the names whose records decide whether only a wildcard answers for a name. */
export const hostsToRead = (name: string, zone: string): string[] => {
  const names = [name, ...namesAbove(name, zone)];
  return [...names, ...[...names, zone].map((above) => `*.${above}`)];
};

export interface ZoneEvidence {
  name: string;
  zone: string;
  /** The zone's records at `hostsToRead`. */
  current: readonly ZoneRecord[];
  /** Copies of ours from an earlier write. They are renewed. */
  copies: readonly Named[];
  /** Answers of DNS for the name, for wildcards that cannot be copied from the zone; empty if there are none. */
  answers: readonly DnsRecord[];
}

/** Returns the copies that keep every answer when a record is written below a name; undefined if none are needed. */
export function wildcardCopies({ name, zone, current, copies, answers }: ZoneEvidence): WildcardCopies | undefined {
  const theirs = current.filter((record) => !isOneOf(record, copies));
  const exists = (host: string) => theirs.some((record) => isInZone(record.host, host));
  if (exists(name)) return undefined;
  const encloser = namesAbove(name, zone).find(exists) ?? zone;
  const wildcard = `*.${encloser}`;
  const answered = answersOf(theirs.filter(({ host }) => host === wildcard)) ?? answers;
  if (answered.length === 0) return undefined;
  return { wildcard, records: copiesAt(namesToCopy(name, encloser), answered) };
}

export const copiesAt = <R extends Omit<DnsRecord, 'host'>>(
  hosts: readonly string[],
  records: readonly R[],
): (R & { host: string })[] => hosts.flatMap((host) => records.map((record) => ({ ...record, host })));

/** Returns the copies that stay next to the desired records: pointers replace pointers, and a CNAME replaces all. */
export const remainingCopies = <R extends Named>(copies: readonly R[], desired: readonly Named[]): R[] =>
  copies.filter(
    (copy) =>
      !desired.some(
        (record) => excludes(copy, record) || (copy.host === record.host && isPointer(copy) && isPointer(record)),
      ),
  );

/** Returns a wildcard's records as additions; undefined if they do not show where the wildcard points. */
function answersOf(wildcard: readonly ZoneRecord[]): Addition[] | undefined {
  const plain = wildcard.flatMap(({ host, type, value, ttl, priority, extra, readOnly }): Addition[] =>
    readOnly || type === 'OTHER' || type === 'ALIAS' || type === 'NS'
      ? []
      : [{ host, type, value, ttl, priority, extra: withoutOwner(extra) }],
  );
  return plain.length === wildcard.length || plain.some(isPointer) ? nonEmpty(plain) : undefined;
}

const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

/** Keys under which providers keep the spelling of the owner name. A copy has another owner. */
const OWNER_KEYS: ReadonlySet<string> = new Set(['name', 'owner', 'hostname']);

/** Returns the provider's settings of a record, such as `proxied`, for a copy at another name. */
const withoutOwner = (extra: Extra | null): Extra | null =>
  extra && Object.fromEntries(Object.entries(extra).filter(([key]) => !OWNER_KEYS.has(key)));
