import {
  type Addition,
  additionOf,
  isOneOf,
  excludes,
  type Named,
  type ZoneChange,
  type ZoneRecord,
} from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import type { Descriptor, Limits, TtlRange } from '../descriptor.ts';
import { isInZone } from '../../domain/record.ts';
import { ProviderError } from '../provider-error.ts';

/** The part of a change that is left to do, given the current records. It is computed alike for every provider. */
export interface RemainingChange {
  /** Additions with their final TTL: that of the set, or the wanted one moved into the provider's range. */
  add: readonly Addition[];
  /** The present records to be removed, with their ids, deepest names first. */
  remove: readonly ZoneRecord[];
}

/**
 * Compares a change with the current records. Throws `validation` for a record that this provider cannot store, and
 * `conflict` for one that cannot coexist; several providers accept such a write and then serve wrong answers.
 */
export function remainingChange(
  descriptor: Descriptor,
  zone: Zone,
  change: ZoneChange,
  current: readonly ZoneRecord[],
): RemainingChange {
  const remove = current
    .filter((record) => isOneOf(record, change.remove) && !isOneOf(record, change.add))
    .toSorted(deepestFirst);
  const retimed = retimedIn(descriptor, change, current).filter(({ before }) => !remove.includes(before));
  const isRetimed = (record: ZoneRecord) => retimed.some(({ before }) => before === record);
  const staying = current.filter((record) => !remove.includes(record) && !isRetimed(record));
  const add = change.add
    .filter((record, i) => !isOneOf(record, staying) && !isOneOf(record, change.add.slice(0, i)))
    .map((record) => ({ ...record, ttl: ttlOf(record, staying, descriptor.limits.ttl) }))
    .concat(retimed.map(({ after }) => after));

  const refuse = (code: 'validation' | 'conflict', { type, host }: Named, why: string): never => {
    throw new ProviderError(code, `${descriptor.name}: ${type} ${host} ${why}`);
  };
  const locked = remove.find((record) => record.readOnly);
  if (locked) refuse('conflict', locked, 'is managed by the provider itself and cannot be removed.');
  for (const record of add) {
    const fault = faultOf(record, zone, descriptor) ?? faultOfSet(record, [...staying, ...add], descriptor.limits);
    if (fault !== undefined) refuse('validation', record, fault);
    const clash = clashOf(record, [...staying, ...add], staying);
    if (clash !== undefined) refuse('conflict', record, clash);
  }
  return { add, remove: [...remove, ...retimed.map(({ before }) => before)] };
}

/** Returns the values of record sets that get another TTL. Each is removed and added in one step. */
function retimedIn(
  { name, limits }: Descriptor,
  { retime = [] }: ZoneChange,
  current: readonly ZoneRecord[],
): { before: ZoneRecord; after: Addition }[] {
  const retimed = current.flatMap((before) => {
    const wanted = retime.find(isOfSet(before));
    const after = additionOf(before);
    const ttl = wanted && ttlWithin(limits.ttl, wanted.ttl);
    return after === undefined || ttl === undefined || ttl === before.ttl ? [] : [{ before, after: { ...after, ttl } }];
  });
  if (retimed.length > 0 && !limits.atomic)
    throw new ProviderError('validation', `${name}: the TTL of a record cannot be changed in one step.`);
  return retimed;
}

/**
 * Order of removals: a record below a hostname goes first. If it went after the hostname's own records, no wildcard
 * would answer for the hostname in between (RFC 4592).
 */
const deepestFirst = (a: Named, b: Named): number => b.host.split('.').length - a.host.split('.').length;

export const isDone = (left: RemainingChange): boolean => left.add.length === 0 && left.remove.length === 0;

/** Returns each host once. Throws `validation` if a host is outside the zone. */
export function hostsIn(zone: Zone, hosts: readonly string[]): string[] {
  const stray = hosts.find((host) => !isInZone(host, zone.name));
  if (stray !== undefined) throw new ProviderError('validation', `${stray} is not in the zone ${zone.name}.`);
  return [...new Set(hosts)];
}

/** Returns the TTL of an addition. A value that is put back keeps its TTL, even one outside the provider's range. */
function ttlOf(record: Addition, staying: readonly ZoneRecord[], range: TtlRange): number {
  const set = staying.find(isOfSet(record));
  if (set) return set.ttl;
  return record.extra === undefined ? ttlWithin(range, record.ttl) : record.ttl;
}

function ttlWithin({ min, max, steps = [] }: TtlRange, wanted: number): number {
  const ttl = Math.min(Math.max(wanted, min), max);
  return steps.find((step) => step >= ttl) ?? steps.at(-1) ?? ttl;
}

function faultOf(record: Addition, zone: Zone, { limits, capabilities }: Descriptor): string | undefined {
  const { type, host, value, extra } = record;
  // A value that is put back existed before, so the provider accepts it even where we would not write it.
  if (extra !== undefined) return undefined;
  if (type === 'CNAME' && host === zone.name) return 'cannot be at the apex of a zone; use ALIAS.';
  if (!capabilities.record_types.includes(type)) return 'has a type that the provider does not support.';
  if (type === 'ALIAS' && host !== zone.name) return 'can only be at the apex of a zone; use CNAME.';
  if (type === 'TXT' && Buffer.byteLength(value) > limits.txt_bytes) return `is longer than ${limits.txt_bytes} bytes.`;
  return limits.refuses?.find((rule) => rule.type === type && new RegExp(rule.matching, 'u').test(value))?.because;
}

const isOfSet = (record: Pick<Named, 'host' | 'type'>) => (other: Pick<Named, 'host' | 'type'>) =>
  other.host === record.host && other.type === record.type;

function faultOfSet(record: Addition, after: readonly Named[], { set_values }: Limits): string | undefined {
  const full = after.filter(isOfSet(record)).length > set_values;
  return full ? `would be one of more than ${set_values} at its name. Remove another first.` : undefined;
}

function clashOf(record: Addition, after: readonly Named[], staying: readonly ZoneRecord[]): string | undefined {
  if (staying.filter(isOfSet(record)).some((other) => other.readOnly)) {
    return 'would join records that the provider manages itself.';
  }
  const rival = after.find((other) => excludes(record, other));
  return rival && `cannot coexist with ${rival.type} at the same name. Remove one of them.`;
}
