import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { dotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type SetWrite, type ValueCodec } from '../toolkit/record-sets.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type HostedZone, type RrSet, type SetChange } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Amazon Route 53. Record sets are written as a whole, in batches that take effect as a whole. The adapter must not
 * UPSERT: it deletes the set exactly as read and creates the new one, so a batch fails if another writer was faster.
 */
export const route53 = defineProvider(descriptor, ({ fields, http, context }) => {
  const key = {
    accessKeyId: fields.access_key_id,
    secretAccessKey: fields.secret_access_key,
    sessionToken: fields.session_token,
  };
  const api = client(http, key, context.clock.now);
  const onlyZone = fields.hosted_zone_id?.replace(/^\/?hostedzone\//, '');
  const isUsable = (zone: HostedZone): boolean => !zone.isPrivate && (onlyZone === undefined || zone.id === onlyZone);

  const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<RrSet[]> =>
    (await Promise.all(hosts.map((host) => api.setsAt(zone.id, host, call)))).flat();

  return {
    verify: async (call) => {
      const zones = (await api.zones(call)).filter(isUsable);
      if (onlyZone !== undefined && zones.length === 0)
        throw http.error('zone_not_found', `this account has no public hosted zone with the ID ${onlyZone}.`);
      return zones.map(({ id, name }) => ({ id, name, nameservers: [] }));
    },

    findZone: (host, call) =>
      walkZones(host, async (name) => {
        const [found, second] = (await api.zonesNamed(name, call)).filter(isUsable);
        if (second) {
          const text = `this account has several public hosted zones named ${name}. Enter the ID of the hosted zone in use.`;
          throw http.error('conflict', text);
        }
        return found && { id: found.id, name, nameservers: await api.nameservers(found.id, call) };
      }),

    records: async (zone, hosts, call) => recordsIn(zone, await setsAt(zone, hosts, call)),

    apply: (zone, change, call) =>
      applyChange(descriptor, zone, change, {
        read: (hosts) => setsAt(zone, hosts, call),
        recordsOf: (sets) => recordsIn(zone, sets),
        write: async (left, before) => {
          const writes = mergeSets(left, before, codec);
          if (await api.change(zone.id, writes.flatMap(changesFor), call)) return true;
          const after = await setsAt(zone, [...new Set(writes.map(({ host }) => host))], call);
          return isUnchanged(writes, after) && api.change(zone.id, writes.flatMap(changesFor).map(asUpsert), call);
        },
      }),
  };
});

/** Route 53 escapes text beyond ASCII with octal numbers; zone files use decimal numbers. */
const codec: ValueCodec<string> = {
  typeOf: ({ type }) => type,
  encode: (record) => toRdata(record, 8),
  decode: (type, value) => fromRdata(type, value, 8),
};

const recordsIn = (zone: Zone, sets: readonly RrSet[]): ZoneRecord[] => sets.flatMap((set) => recordsOf(set, zone));

function recordsOf(set: RrSet, zone: Zone): ZoneRecord[] {
  if (isServerOwn(set.type)) return [];
  const isDelegation = set.type === 'NS' && set.host === zone.name;
  if (set.alias === undefined) return recordsOfSet(set, codec, { readOnly: set.routed || isDelegation });
  // An alias set of type A or AAAA replaces addresses. Others have values that we cannot express.
  const type = set.type === 'A' || set.type === 'AAAA' ? 'ALIAS' : codec.decode(set.type, '').type;
  const { host, ttl, alias: value } = set;
  return [{ host, ttl, type, value, priority: null, id: null, readOnly: true, extra: null }];
}

/** Whether every set of the change is still as it was read. */
const isUnchanged = (writes: readonly SetWrite<string, RrSet>[], after: readonly RrSet[]): boolean =>
  writes.every(({ host, type, before }) => {
    const now = after.find((set) => set.host === host && set.type === type);
    return JSON.stringify(now) === JSON.stringify(before);
  });

/** Returns a change as UPSERT, for imitations of Amazon's API that refuse to create a set that was once deleted. */
const asUpsert = (change: SetChange): SetChange =>
  change.action === 'CREATE' ? { ...change, action: 'UPSERT' } : change;

/** Deletes the old set exactly as it was read and creates the new one. */
function changesFor({ host, type, ttl, values, before }: SetWrite<string, RrSet>): SetChange[] {
  return [
    ...(before ? [{ action: 'DELETE', name: before.name, type, ttl: before.ttl, values: before.values } as const] : []),
    ...(values.length > 0
      ? [{ action: 'CREATE', name: before?.name ?? dotted(host), type, ttl, values } as const]
      : []),
  ];
}
