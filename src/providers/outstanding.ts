import { type Addition, among, excludes, sameRecord, type ZoneChange, type ZoneRecord } from '../domain/zone-record.ts';
import type { Applied, Zone } from './contract.ts';
import type { Descriptor } from './descriptor.ts';
import { isWithin } from './names.ts';
import { ProviderError } from './provider-error.ts';

/** What is left to do of a change, given what stands: the part of `apply` that is the same for every provider. */
export interface Outstanding {
  /** With the TTL that each will have: the staying set's own, else the wanted one moved into the provider's range. */
  add: readonly Addition[];
  /** The standing records to be removed, with their ids. */
  remove: readonly ZoneRecord[];
}

/**
 * Compares and checks. Throws `validation` for what this provider cannot hold and `conflict` for what cannot stand
 * beside the zone's other records: several providers would accept such a write and then serve nonsense.
 */
export function outstanding(
  { limits, capabilities, name }: Descriptor,
  zone: Zone,
  change: ZoneChange,
  current: readonly ZoneRecord[],
): Outstanding {
  const remove = current.filter((record) => among(record, change.remove) && !among(record, change.add));
  const staying = current.filter((record) => !remove.includes(record));
  const add = change.add
    .filter((record, i) => !among(record, staying) && !among(record, change.add.slice(0, i)))
    .map((record) => ({ ...record, ttl: ttlOf(record, staying, limits.ttl) }));

  for (const record of remove) {
    if (record.readOnly) {
      const text = `${record.type} ${record.host} is managed by ${name} itself and cannot be removed through its API.`;
      throw new ProviderError('conflict', text);
    }
  }
  for (const record of add) {
    const fault = faultOf(record, zone, limits.txt_bytes, capabilities.record_types);
    if (fault) throw new ProviderError('validation', `${name} cannot hold ${record.type} ${record.host}: ${fault}`);
    if (staying.some((other) => other.readOnly && other.host === record.host && other.type === record.type)) {
      const text = `the ${record.type} records of ${record.host} are managed by ${name} itself; nothing can be added to them.`;
      throw new ProviderError('conflict', text);
    }
    const rival = [...staying, ...add].find((other) => excludes(record, other));
    if (rival) {
      const text = `${record.type} ${record.host} cannot stand beside ${rival.type} at the same name. Remove one of them.`;
      throw new ProviderError('conflict', text);
    }
  }
  return { add, remove };
}

export const isDone = (left: Outstanding): boolean => left.add.length === 0 && left.remove.length === 0;

/** The hosts a change speaks of, once each: what `apply` has to read. None may lie outside the zone. */
export function hostsOf(zone: Zone, { add, remove }: ZoneChange): string[] {
  const hosts = [...new Set([...add, ...remove].map((record) => record.host))];
  const stray = hosts.find((host) => !isWithin(host, zone.name));
  if (stray !== undefined) throw new ProviderError('validation', `${stray} is not in the zone ${zone.name}.`);
  return hosts;
}

/** The answer of `apply`, from what was read back: some providers accept a write and then do not carry it out. */
export function applied(changed: boolean, change: ZoneChange, standing: readonly ZoneRecord[]): Applied {
  const found = change.add.map((wanted) => {
    const record = standing.find((candidate) => sameRecord(candidate, wanted));
    if (record) return record;
    const text = `${wanted.type} ${wanted.host} was accepted and does not stand. Its owner may have locked the zone.`;
    throw new ProviderError('transient', text, { mayHaveChanged: changed });
  });
  return { changed, standing: found };
}

/** A value that is put back keeps the TTL it had, also one (Cloudflare's "automatic") that lies outside the range. */
function ttlOf(record: Addition, staying: readonly ZoneRecord[], { min, max }: { min: number; max: number }): number {
  const set = staying.find((other) => other.host === record.host && other.type === record.type);
  if (set) return set.ttl;
  return record.extra === undefined ? Math.min(Math.max(record.ttl, min), max) : record.ttl;
}

function faultOf(record: Addition, zone: Zone, txtBytes: number, types: readonly string[]): string | undefined {
  if (record.type === 'CNAME' && record.host === zone.name)
    return 'a CNAME cannot stand at the apex of a zone; use ALIAS.';
  if (!types.includes(record.type)) return 'the type is not supported there.';
  if (record.type === 'TXT' && Buffer.byteLength(record.value) > txtBytes)
    return `it is longer than ${txtBytes} bytes.`;
  return undefined;
}
