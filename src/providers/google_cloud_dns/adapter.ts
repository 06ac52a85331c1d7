import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import { isInZone } from '../../domain/record.ts';
import type { Call } from '../call.ts';
import type { Provider, Zone } from '../contract.ts';
import { tokenClient } from '../toolkit/access-token.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { dotted, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type RecordSet, type ValueCodec } from '../toolkit/record-sets.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { type ChangedSet, client, type GoogleSet, type ManagedZone, reasonOf } from './client.ts';
import { descriptor } from './descriptor.ts';
import { assertionOf, readServiceAccount } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/ndev.clouddns.readwrite';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const provider = defineProvider(descriptor, ({ fields, http, context }) => {
  const account = readServiceAccount(fields.service_account_key);
  http.learnSecret(account.secret);
  const audience = `${descriptor.token_url}/token`;
  const exchange = {
    descriptor,
    context,
    identity: account.email,
    secrets: [fields.service_account_key, account.secret],
    path: '/token',
    form: () => ({
      grant_type: GRANT,
      assertion: assertionOf(account, { scope: SCOPE, audience, nowMs: context.clock.now() }),
    }),
  };
  const api = client(tokenClient(http, exchange, { reasonOf }), fields.project ?? account.project, context.clock);
  const onlyZone = fields.managed_zone;

  const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<CloudSet[]> =>
    (await Promise.all(hosts.map((host) => api.setsAt(zone.id, host, call)))).flat().map(setOf);
  const recordsIn = (zone: Zone, sets: readonly CloudSet[]) => sets.flatMap((set) => recordsOf(set, zone));

  const publicZone = async (name: string, call?: Call): Promise<ManagedZone> => {
    const zone = await api.zone(name, call);
    if (isPublic(zone)) return zone;
    throw http.error('zone_not_found', `the managed zone ${name} is private. Enter the public zone of the domain.`);
  };

  const zoneNamed = async (name: string, call?: Call): Promise<Zone | undefined> => {
    const [found, second] = (await api.zonesNamed(name, call)).filter(isPublic);
    if (!second) return found && zoneOf(found);
    throw http.error('conflict', `this project has several public zones for ${name}. Enter the managed zone in use.`);
  };

  return {
    verify: async (call) => {
      if (onlyZone !== undefined) return [zoneOf(await publicZone(onlyZone, call))];
      return (await api.zones(call)).filter(isPublic).map(zoneOf);
    },

    findZone: async (host, call) => {
      if (onlyZone === undefined) return walkZones(host, (name) => zoneNamed(name, call));
      const zone = zoneOf(await publicZone(onlyZone, call));
      return isInZone(host, zone.name) ? zone : undefined;
    },

    records: async (zone, hosts, call) => recordsIn(zone, await setsAt(zone, hosts, call)),

    apply: (zone, change, call) =>
      applyChange(descriptor, zone, change, {
        read: (hosts) => setsAt(zone, hosts, call),
        recordsOf: (sets) => recordsIn(zone, sets),
        write: (left, before) => {
          const writes = mergeSets(left, before, codec);
          const deletions = writes.flatMap(({ before: old }) => (old ? [changed(old, old.owner)] : []));
          const additions = writes.flatMap((set) =>
            set.values.length > 0 ? [changed(set, set.before?.owner ?? dotted(set.host))] : [],
          );
          return api.change(zone.id, { deletions, additions }, call);
        },
      }),
  };
});

/**
 * Google Cloud DNS. A change lists the sets to delete, exactly as they are, and to create. It takes effect as a whole,
 * and fails if another writer was faster. Sets with a routing policy must never be changed.
 */
export const googleCloudDns: Provider = {
  ...provider,
  // Every key file ends alike. Google's console lists keys by project and key ID.
  hint: ({ service_account_key = '' }) => {
    const { project, keyId } = readServiceAccount(service_account_key);
    return `${project}, key ${keyId.slice(0, 8)}…`;
  },
};

interface CloudSet extends RecordSet<string> {
  owner: string;
  isRouted: boolean;
}

const setOf = ({ name, type, ttl, rrdatas, routingPolicy }: GoogleSet): CloudSet => ({
  host: undotted(name),
  owner: name,
  type,
  ttl,
  values: rrdatas,
  isRouted: routingPolicy !== undefined,
});

const changed = ({ type, ttl, values }: RecordSet<string>, name: string): ChangedSet => ({
  name,
  type,
  ttl,
  rrdatas: values,
});

const codec: ValueCodec<string> = {
  typeOf: ({ type }) => type,
  encode: (record) => toRdata(record),
  decode: (type, value) => fromRdata(type, value),
};

function recordsOf(set: CloudSet, zone: Zone): ZoneRecord[] {
  if (isServerOwn(set.type)) return [];
  if (!set.isRouted) return recordsOfSet(set, codec, { readOnly: set.type === 'NS' && set.host === zone.name });
  // A routing policy answers by client. Plans must still see the set, because it excludes other records.
  return recordsOfSet({ ...set, values: ['by routing policy'] }, codec, { readOnly: true });
}

const zoneOf = ({ name, dnsName, nameServers }: ManagedZone): Zone => ({
  id: name,
  name: undotted(dnsName),
  nameservers: nameServers.map(undotted),
});

/** Whether a zone is public. A private zone is served only inside its owner's networks. */
const isPublic = ({ visibility }: ManagedZone): boolean => visibility === 'public';
