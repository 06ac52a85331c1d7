import { z } from 'zod';
import type { Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { writeUnlessOvertaken } from '../provider-error.ts';
import { tokenClient } from '../toolkit/access-token.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { fromRelative, relative, undotted } from '../toolkit/names.ts';
import { isServerOwn } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type SetWrite } from '../toolkit/record-sets.ts';
import { writeSets } from '../toolkit/write-sets.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type DnsZone, reasonOf } from './client.ts';
import { descriptor } from './descriptor.ts';
import { type AzureSet, type AzureValue, codec, Metadata, propertiesOf, setOf } from './record.ts';

/**
 * Azure DNS. Record sets are written as a whole, with the etag of the last read. Two sets need two calls, and Azure
 * refuses a call while another change of the zone is in progress, so our own writers also use the zone lock.
 */
export const azureDns = defineProvider(descriptor, ({ fields, http, context }) => {
  const { tenant_id, client_id, client_secret, subscription_id, resource_group } = fields;
  const exchange = {
    descriptor,
    context,
    identity: `${tenant_id} ${client_id}`,
    secrets: [client_secret],
    path: `/${encodeURIComponent(tenant_id)}/oauth2/v2.0/token`,
    form: () => ({
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      scope: `${descriptor.base_url}/.default`,
    }),
  };
  const api = client(tokenClient(http, exchange, { reasonOf }), {
    subscription: subscription_id,
    resourceGroup: resource_group,
    clock: context.clock,
  });
  const zones = async (call?: Call): Promise<Zone[]> => (await api.zones(call)).filter(isPublic).map(zoneOf);
  const setsOf = async (zone: Zone, call?: Call): Promise<AzureSet[]> =>
    (await api.recordSets(zone.id, call)).map((set) => setOf(set, zone.name));

  const put = (zone: Zone, write: SetWrite<AzureValue, AzureSet>, call?: Call) => {
    const { host, type, ttl, values, before, extra } = write;
    const { name = relative(host, zone.name, '@'), metadata } = before ? extraOf(before) : keptOf(extra, host, zone);
    const properties = { TTL: ttl, ...(metadata !== undefined && { metadata }), ...propertiesOf(type, values) };
    return api.put(zone.id, { type, name, etag: before?.etag, properties }, call);
  };

  return {
    verify: zones,

    findZone: async (host, call) => {
      const all = await zones(call);
      const found = longestZone(host, all);
      if (all.filter(({ name }) => name === found?.name).length < 2) return found;
      throw http.error(
        'conflict',
        `several resource groups have a zone ${found?.name}. Enter the resource group of the zone in use.`,
      );
    },

    records: async (zone, hosts, call) => recordsAt(await setsOf(zone, call), hosts, zone),

    apply: (zone, change, call) =>
      applyLocked<AzureSet[]>({ descriptor, zoneLock: context.zoneLock, zone, change, call }, (lease) => ({
        read: () => setsOf(zone, call),
        recordsOf: (sets, hosts) => recordsAt(sets, hosts, zone),
        write: (left, sets) =>
          writeUnlessOvertaken(['record_not_found'], () =>
            writeSets(mergeSets(left, sets, codec), {
              lease,
              put: (write) => put(zone, write, call),
              remove: (set) => api.remove(zone.id, set, call),
              extraOf,
            }),
          ),
      })),
  };
});

const recordsAt = (sets: readonly AzureSet[], hosts: readonly string[], zone: Zone): ZoneRecord[] =>
  sets.filter(({ host, type }) => hosts.includes(host) && !isServerOwn(type)).flatMap((set) => recordsOf(set, zone));

function recordsOf(set: AzureSet, zone: Zone): ZoneRecord[] {
  const { host, type, ttl, target } = set;
  if (target === undefined)
    return recordsOfSet(set, codec, { readOnly: type === 'NS' && host === zone.name, extra: extraOf(set) });
  // An alias set of type A or AAAA replaces addresses; one of type CNAME points to a resource.
  const kind = type === 'CNAME' ? 'CNAME' : 'ALIAS';
  return [{ host, ttl, type: kind, value: target, priority: null, id: null, readOnly: true, extra: null }];
}

/** Returns the data that must be restored together with a set. */
const extraOf = ({ name, host, metadata }: AzureSet): Kept => ({
  ...(name === '@' || host.startsWith(`${name}.`) ? {} : { name }),
  ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
});
type Kept = { name?: string; metadata?: AzureSet['metadata'] };

/** Reads the kept data of a set that is put back. Another provider may have kept other data under these keys. */
function keptOf(extra: Extra | null, host: string, zone: Zone): Kept {
  const name = z.string().safeParse(extra?.['name']).data;
  const metadata = Metadata.safeParse(extra?.['metadata']).data;
  return {
    ...(name !== undefined && fromRelative(name, zone.name) === host && { name }),
    ...(metadata && { metadata }),
  };
}

const zoneOf = ({ id, name, properties }: DnsZone): Zone => ({
  id,
  name: undotted(name),
  nameservers: (properties.nameServers ?? []).map(undotted),
});

const isPublic = ({ properties }: DnsZone): boolean => properties.zoneType === 'Public';
