import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { writeUnlessOvertaken } from '../provider-error.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type ScalewayNewRecord, type ScalewayRecord, type ScalewayZone } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Scaleway. Values have ids, and a change of several values is one request. A domain and a part of it can be separate
 * zones. Writes need the zone lock, because a value that is created twice may exist twice.
 */
export const scaleway = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.secret_key);

  const zones = async (call?: Call): Promise<Zone[]> =>
    (await api.zones(call)).filter(({ status }) => status === 'active').map(zoneOf);
  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .filter(({ type }) => !isServerOwn(type))
      .map((record) => fromScaleway(record, zone.name))
      .filter(({ host }) => hosts.includes(host));

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyLocked<ZoneRecord[]>({ descriptor, zoneLock, zone, change, call }, () => ({
        read: (hosts) => recordsAt(zone, hosts, call),
        recordsOf: (records) => records,
        write: ({ add, remove }) =>
          // Another program has deleted a record that we wanted to delete.
          writeUnlessOvertaken(['record_not_found'], () =>
            api.change(
              zone.id,
              remove.flatMap(({ id }) => id ?? []),
              add.map((record) => toScaleway(record, zone.name)),
              call,
            ),
          ),
      })),
  };
});

function zoneOf({ domain, subdomain, ns }: ScalewayZone): Zone {
  const name = undotted(subdomain === '' ? domain : `${subdomain}.${domain}`);
  return { id: name, name, nameservers: (ns ?? []).map(undotted) };
}

/** Settings with which Scaleway answers by client or by health check. Such a record is never changed. */
const DYNAMIC = ['geo_ip_config', 'http_service_config', 'weighted_config', 'view_config'];

function fromScaleway(record: ScalewayRecord, zone: string): ZoneRecord {
  const { id, name, type, data, ttl, comment } = record;
  const host = absolute(name, zone);
  return {
    ...fromRdata(type, data),
    host,
    ttl,
    id,
    readOnly: DYNAMIC.some((key) => record[key] != null) || (type === 'NS' && host === zone),
    extra: { data, comment: comment ?? null },
  };
}

const Kept = z.object({ data: z.string(), comment: z.string().nullable() });

/** Returns a new record. A record that is put back keeps its spelling and its comment. */
function toScaleway(record: Addition, zone: string): ScalewayNewRecord {
  const { host, type, ttl, extra } = record;
  const kept = Kept.safeParse(extra).data;
  return {
    name: relative(host, zone, ''),
    type,
    data: kept?.data ?? toRdata(record),
    ttl,
    ...(kept?.comment != null && { comment: kept.comment }),
  };
}
