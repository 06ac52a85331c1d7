import { z } from 'zod';
import type { Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { ifFound, writeUnlessOvertaken } from '../provider-error.ts';
import { afterWriting } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { fromRelative, relative, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata, withAbsoluteTarget } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from '../toolkit/record-sets.ts';
import { writeSets } from '../toolkit/write-sets.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type HetznerValue, type HetznerZone, type RrSet } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Hetzner's Cloud API. Values are added and removed singly. Replacing a set needs two calls, hence the zone lock. */
export const hetzner = defineProvider(descriptor, ({ fields, http, context: { zoneLock, clock } }) => {
  const api = client(http, fields.api_token, clock);

  const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<HetznerSet[]> => {
    const found = await Promise.all(hosts.map((host) => api.setsNamed(zone.id, relative(host, zone.name, '@'), call)));
    const sets = found.flat();
    const inherited = sets.some(({ ttl }) => ttl === null) ? (await api.zone(zone.id, call)).ttl : 0;
    return sets.map((set) => setOf(set, zone, inherited)).filter(({ host }) => hosts.includes(host));
  };

  const put = async (zone: Zone, write: SetWrite<HetznerValue, HetznerSet>, call?: Call): Promise<void> => {
    const { host, type, ttl, values, before, extra } = write;
    const { labels, inherits } = Kept.parse(extra ?? {});
    const keptTtl = inherits ? null : ttl;
    if (!before) {
      const set = { name: relative(host, zone.name, '@'), type, ttl: keptTtl, labels, records: [...values] };
      return api.create(zone.id, set, call);
    }
    const coming = values.filter((value) => !before.values.includes(value));
    const leaving = before.values.filter((value) => !values.includes(value));
    const steps = [
      type === 'CNAME' && (() => api.setRecords(zone.id, before, { records: values }, call)),
      type !== 'CNAME' &&
        coming.length + leaving.length > 0 &&
        (() => exchange(zone, before, { coming, leaving }, call)),
      ttl !== before.ttl && (() => api.changeTtl(zone.id, before, { ttl: keptTtl }, call)),
    ].filter((step) => step !== false);
    for (const [i, step] of steps.entries()) await (i === 0 ? step() : afterWriting(step));
  };

  /** Adds new values before it removes the old, so that the name always resolves; withdraws them if overtaken. */
  const exchange = async (
    zone: Zone,
    set: HetznerSet,
    { coming, leaving }: { coming: readonly HetznerValue[]; leaving: readonly HetznerValue[] },
    call?: Call,
  ): Promise<void> => {
    const remove = (values: readonly HetznerValue[]) => api.removeRecords(zone.id, set, onlyValues(values), call);
    if (coming.length > 0) await api.addRecords(zone.id, set, { records: coming }, call);
    if (leaving.length === 0) return;
    if (coming.length === 0) return remove(leaving);
    if (await afterWriting(() => ifFound(() => remove(leaving).then(() => true)))) return;
    await afterWriting(() => remove(coming));
    throw http.error('record_not_found', `a value of ${set.type} ${set.host} to be replaced no longer exists.`);
  };

  /** Puts values back. If the zone's owner has set other values in the meantime, ours are added to them. */
  const restore = async (zone: Zone, write: SetWrite<HetznerValue, HetznerSet>, call?: Call): Promise<void> => {
    if (await writeUnlessOvertaken(['already_exists'], () => put(zone, write, call))) return;
    const set = { name: relative(write.host, zone.name, '@'), type: write.type };
    await api.addRecords(zone.id, set, { records: write.values }, call);
  };

  return {
    verify: async (call) => (await api.zones(call)).filter(isPrimary).map(zoneOf),

    findZone: (host, call) =>
      walkZones(host, async (name) => {
        const zone = await ifFound(() => api.zone(name, call));
        return zone && isPrimary(zone) && undotted(zone.name) === name ? zoneOf(zone) : undefined;
      }),

    records: async (zone, hosts, call) => recordsIn(await setsAt(zone, hosts, call), zone),

    apply: (zone, change, call) =>
      applyLocked({ descriptor, zoneLock, zone, change, call }, (lease) => ({
        read: (hosts) => setsAt(zone, hosts, call),
        recordsOf: (sets) => recordsIn(sets, zone),
        write: (left, sets) =>
          writeUnlessOvertaken(['already_exists', 'record_not_found'], () =>
            writeSets(mergeSets(left, sets, codecOf(zone)), {
              lease,
              put: (write) => put(zone, write, call),
              restore: (write) => restore(zone, write, call),
              remove: (set) => api.removeRecords(zone.id, set, onlyValues(set.values), call),
              extraOf,
            }),
          ),
      })),
  };
});

interface HetznerSet extends RecordSet<HetznerValue> {
  name: string;
  labels: RrSet['labels'];
  /** Whether the set uses the TTL of the zone. */
  inherits: boolean;
  isProtected: boolean;
}

const setOf = ({ name, type, ttl, labels, protection, records }: RrSet, zone: Zone, inherited: number): HetznerSet => ({
  host: fromRelative(name, zone.name),
  name,
  type,
  ttl: ttl ?? inherited,
  values: records,
  labels,
  inherits: ttl === null,
  isProtected: protection?.change === true || (type === 'NS' && name === '@'),
});

const codecOf = (zone: Zone): ValueCodec<HetznerValue> => ({
  typeOf: ({ type }) => type,
  encode: (record) => ({ value: toRdata(record), comment: '' }),
  decode: (type, { value }) => fromRdata(type, withAbsoluteTarget(type, value, zone.name)),
});

const recordsIn = (sets: readonly HetznerSet[], zone: Zone): ZoneRecord[] =>
  sets
    .filter(({ type }) => !isServerOwn(type))
    .flatMap((set) => recordsOfSet(set, codecOf(zone), { readOnly: set.isProtected, extra: extraOf(set) }));

/** Returns the data that must be restored together with a set. */
const extraOf = ({ labels, inherits }: HetznerSet): Extra => ({
  ...(Object.keys(labels).length > 0 && { labels }),
  ...(inherits && { inherits }),
});

/** Kept data of a set that is put back. Another provider may have kept other data under these keys. */
const Kept = z.object({ labels: z.record(z.string(), z.string()).catch({}), inherits: z.boolean().catch(false) });

const onlyValues = (values: readonly HetznerValue[]) => ({ records: values.map(({ value }) => ({ value })) });

const zoneOf = ({ id, name, authoritative_nameservers }: HetznerZone): Zone => ({
  id: String(id),
  name: undotted(name),
  nameservers: (authoritative_nameservers?.assigned ?? []).map(undotted),
});

/** Whether the zone is a primary. A secondary copies its records from another server. */
const isPrimary = ({ mode }: HetznerZone): boolean => mode === 'primary';
