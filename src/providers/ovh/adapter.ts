import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { ifFound, ProviderError } from '../provider-error.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type OvhNewRecord, type OvhRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

const ENDPOINTS: Readonly<Record<string, string>> = {
  'ovh-eu': descriptor.base_url,
  'ovh-ca': 'https://ca.api.ovh.com/1.0',
  'ovh-us': 'https://api.us.ovhcloud.com/1.0',
};

/**
 * OVHcloud. Values have ids; a listing contains only ids, so each record needs a read. Clients report that an empty
 * `subDomain`, which means the apex, lists the whole zone. The names in the records therefore decide, and an apply reads
 * each record of another name once. A value that is created twice exists twice, so writes need the zone lock. A change
 * is served only after the zone is refreshed.
 */
export const ovh = defineProvider(
  descriptor,
  ({ fields, http, context }) => {
    const key = {
      applicationKey: fields.application_key,
      applicationSecret: fields.application_secret,
      consumerKey: fields.consumer_key,
    };
    const api = client(http, key, context);
    const zoneOf = (name: string): Zone => ({ id: name, name: undotted(name), nameservers: [] });
    return accountByRecord(descriptor, context.zoneLock, {
      zones: async (call) => (await api.zones(call)).map(zoneOf),
      findZone: async (host, call) => {
        const zone = longestZone(host, (await api.zones(call)).map(zoneOf));
        return zone && { ...zone, nameservers: (await api.nameservers(zone.id, call)).map(undotted) };
      },
      records: async (zone, call, hosts, elsewhere) => {
        const listed = await Promise.all(hosts.map((host) => api.idsAt(zone.id, relative(host, zone.name, ''), call)));
        const ids = [...new Set(listed.flat())].filter((id) => !elsewhere.has(String(id)));
        const read = await Promise.all(ids.map((id) => ifFound(() => api.record(zone.id, id, call))));
        const found = read.filter((record) => record !== undefined);
        const isAsked = ({ subDomain }: OvhRecord) => hosts.includes(absolute(subDomain ?? '', zone.name));
        for (const record of found) if (!isAsked(record)) elsewhere.add(String(record.id));
        return found
          .filter((record) => isAsked(record) && !isServerOwn(record.fieldType))
          .map((record) => fromOvh(record, zone.name));
      },
      create: (zone, record, call) => api.create(zone.id, toOvh(record, zone.name), call),
      remove: (zone, id, call) => api.remove(zone.id, id, call),
      publish: (zone, call) => api.refresh(zone.id, call),
    });
  },
  ({ endpoint = 'ovh-eu' }) => {
    const address = ENDPOINTS[endpoint];
    if (address !== undefined) return address;
    throw new ProviderError('validation', `OVHcloud: the region must be one of ${Object.keys(ENDPOINTS).join(', ')}.`);
  },
);

/** OVHcloud's default TTL of a zone. A TTL of zero means the default of the zone. */
const DEFAULT_TTL = 3_600;

/** OVHcloud has its own types for text that it validates; resolvers see TXT. */
const isText = (fieldType: string): boolean => /^(TXT|SPF|DKIM|DMARC)$/.test(fieldType);
const isTarget = (fieldType: string): boolean => /^(CNAME|NS|MX|SRV)$/.test(fieldType);

function fromOvh({ id, fieldType, subDomain, target, ttl }: OvhRecord, zone: string): ZoneRecord {
  const host = absolute(subDomain ?? '', zone);
  // As in a zone file, a name without a trailing dot is relative to the zone.
  const rdata = isTarget(fieldType) && !target.endsWith('.') ? `${target}.${zone}.` : target;
  return {
    ...fromRdata(isText(fieldType) ? 'TXT' : fieldType, rdata),
    host,
    ttl: ttl || DEFAULT_TTL,
    id: String(id),
    readOnly: fieldType === 'NS' && host === zone,
    extra: { fieldType, target, ttl: ttl ?? 0 },
  };
}

const Kept = z.object({ fieldType: z.string(), target: z.string(), ttl: z.number() });

/** Returns a new record. A restored record keeps its type, spelling and TTL, even the zone's default TTL. */
function toOvh(record: Addition, zone: string): OvhNewRecord {
  const subDomain = relative(record.host, zone, '');
  const kept = Kept.safeParse(record.extra).data;
  if (kept === undefined) return { fieldType: record.type, subDomain, target: toRdata(record), ttl: record.ttl };
  return { ...kept, subDomain, ttl: kept.ttl === 0 && record.ttl === DEFAULT_TTL ? 0 : record.ttl };
}
