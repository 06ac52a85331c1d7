import type { Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { dotted, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from '../toolkit/record-sets.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type PdnsValue, type RrSet, type RrSetPatch, type ZoneHead } from './client.ts';
import { descriptor } from './descriptor.ts';

/** PowerDNS Authoritative. Sets are replaced without a comparison, so writes need the zone lock and exact spellings. */
export const powerdns = defineProvider(
  descriptor,
  ({ fields, http, context: { zoneLock } }) => {
    const api = client(http, { apiKey: fields.api_key, serverId: fields.server_id ?? 'localhost' });
    const setsOf = async (zone: Zone, call?: Call): Promise<PdnsSet[]> => (await api.rrsets(zone.id, call)).map(setOf);

    return {
      verify: async (call) => (await api.zones(call)).filter(isWritable).map(zoneOf),

      findZone: (host, call) =>
        walkZones(host, async (name) => {
          const [found] = (await api.zonesNamed(name, call)).filter((zone) => undotted(zone.name) === name);
          return found && isWritable(found) ? zoneOf(found) : undefined;
        }),

      records: async (zone, hosts, call) => recordsAt(await setsOf(zone, call), hosts),

      apply: (zone, change, call) =>
        zoneLock.run(
          `powerdns ${http.url({ path: '/' }).href} ${zone.name}`,
          (lease) =>
            applyChange(descriptor, zone, change, {
              lease,
              read: () => setsOf(zone, call),
              recordsOf: recordsAt,
              write: async (left, before) => {
                await api.patch(zone.id, mergeSets(left, before, codec).map(patchFor), call);
                return true;
              },
            }),
          call,
        ),
    };
  },
  (fields) => fields.api_url,
);

/** A record set with the data that PowerDNS keeps for it, and with its owner name as the zone spells it. */
interface PdnsSet extends RecordSet<PdnsValue> {
  owner: string;
  comments: RrSet['comments'];
}

const setOf = ({ name, type, ttl, records, comments }: RrSet): PdnsSet => ({
  host: undotted(name),
  owner: name,
  type,
  ttl,
  values: records,
  comments,
});

const codec: ValueCodec<PdnsValue> = {
  typeOf: ({ type }) => type,
  encode: (record) => ({ content: toRdata(record), disabled: false }),
  // A disabled value is not served, so it does not count as a record. This type makes it unequal to every record.
  decode: (type, { content, disabled }) => fromRdata(disabled ? `DISABLED ${type}` : type, content),
};

const zoneOf = ({ id, name }: ZoneHead): Zone => ({ id, name: undotted(name), nameservers: [] });

/** Whether the zone can be changed. The next transfer from the primary would overwrite a change of a secondary. */
const isWritable = ({ kind }: ZoneHead): boolean => /^(native|master|primary|producer)$/i.test(kind);

const recordsAt = (sets: readonly PdnsSet[], hosts: readonly string[]): ZoneRecord[] =>
  sets
    .filter((set) => hosts.includes(set.host) && !isServerOwn(set.type))
    .map((set) => ({ ...set, values: set.values.filter(({ disabled }) => !disabled) }))
    .flatMap((set) => recordsOfSet(set, codec, { extra: extraOf(set) }));

/** Returns the data that must be restored together with a set. */
const extraOf = ({ owner, host, comments }: PdnsSet): Extra => ({
  ...(owner === dotted(host) ? {} : { owner }),
  ...(comments.length === 0 ? {} : { comments }),
});

function patchFor({ host, type, ttl, values, before, extra }: SetWrite<PdnsValue, PdnsSet>): RrSetPatch {
  const name = before?.owner ?? (extra?.['owner'] as string | undefined) ?? dotted(host);
  if (values.length === 0) return { name, type, changetype: 'DELETE' };
  const comments = before === undefined ? extra?.['comments'] : undefined;
  return { name, type, ttl, changetype: 'REPLACE', records: values, ...(comments === undefined ? {} : { comments }) };
}
