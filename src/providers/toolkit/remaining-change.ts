import {
  type Addition,
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

/** What is left to do of a change, given what stands: the part of `apply` that is the same for every provider. */
export interface RemainingChange {
  /** With the TTL that each will have: the staying set's own, else the wanted one moved into the provider's range. */
  add: readonly Addition[];
  /** The standing records to be removed, with their ids. */
  remove: readonly ZoneRecord[];
}

/**
 * Compares and checks. Throws `validation` for what this provider cannot hold and `conflict` for what cannot stand
 * beside the zone's other records: several providers would accept such a write and then serve nonsense.
 */
export function remainingChange(
  descriptor: Descriptor,
  zone: Zone,
  change: ZoneChange,
  current: readonly ZoneRecord[],
): RemainingChange {
  const remove = current.filter((record) => isOneOf(record, change.remove) && !isOneOf(record, change.add));
  const staying = current.filter((record) => !remove.includes(record));
  const add = change.add
    .filter((record, i) => !isOneOf(record, staying) && !isOneOf(record, change.add.slice(0, i)))
    .map((record) => ({ ...record, ttl: ttlOf(record, staying, descriptor.limits.ttl) }));

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
  return { add, remove };
}

export const isDone = (left: RemainingChange): boolean => left.add.length === 0 && left.remove.length === 0;

/** The hosts once each: what `apply` has to read. None may lie outside the zone. */
export function hostsIn(zone: Zone, hosts: readonly string[]): string[] {
  const stray = hosts.find((host) => !isInZone(host, zone.name));
  if (stray !== undefined) throw new ProviderError('validation', `${stray} is not in the zone ${zone.name}.`);
  return [...new Set(hosts)];
}

/** A value that is put back keeps the TTL it had, also one that could not be asked for, such as a provider's automatic one. */
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
  // What is put back stood there before, so it can stand there, also where we would not write it ourselves.
  if (extra !== undefined) return undefined;
  if (type === 'CNAME' && host === zone.name) return 'cannot stand at the apex of a zone; use ALIAS.';
  if (!capabilities.record_types.includes(type)) return 'is of a type that is not supported there.';
  if (type === 'ALIAS' && host !== zone.name) return 'is for the apex of a zone; use CNAME.';
  if (type === 'TXT' && Buffer.byteLength(value) > limits.txt_bytes) return `is longer than ${limits.txt_bytes} bytes.`;
  return limits.refuses?.find((rule) => rule.type === type && new RegExp(rule.matching, 'u').test(value))?.because;
}

const isOfSet = (record: Named) => (other: Named) => other.host === record.host && other.type === record.type;

function faultOfSet(record: Addition, after: readonly Named[], { set_values }: Limits): string | undefined {
  const full = after.filter(isOfSet(record)).length > set_values;
  return full ? `would be one of more than ${set_values} at its name. Remove another first.` : undefined;
}

function clashOf(record: Addition, after: readonly Named[], staying: readonly ZoneRecord[]): string | undefined {
  if (staying.filter(isOfSet(record)).some((other) => other.readOnly)) {
    return 'would join records that the provider manages itself.';
  }
  const rival = after.find((other) => excludes(record, other));
  return rival && `cannot stand beside ${rival.type} at the same name. Remove one of them.`;
}
