import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { writeUnlessOvertaken } from '../provider-error.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { undotted } from '../toolkit/names.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { type CfZone, client } from './client.ts';
import { descriptor } from './descriptor.ts';
import { fromCloudflare, toCloudflare } from './record.ts';

/** Cloudflare. A change is one transaction. A duplicate is refused with "identical record", and we read again. */
export const cloudflare = defineProvider(descriptor, ({ fields, http }) => {
  const api = client(http, fields.api_token);

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call) => {
    const found = await Promise.all(hosts.map((host) => api.recordsNamed(zone.id, host, call)));
    return found.flat().map((record) => fromCloudflare(record, zone.name));
  };

  return {
    verify: async (call) => (await api.zones({}, call)).filter(isWritable).map(zoneOf),

    expiry: api.tokenEnd,

    findZone: (host, call) =>
      walkZones(host, async (name) => {
        const found = (await api.zones({ name }, call)).find(
          (zone) => isWritable(zone) && undotted(zone.name) === name,
        );
        return found && zoneOf(found);
      }),

    records: recordsAt,

    apply: (zone, change, call) =>
      applyChange(descriptor, zone, change, {
        read: (hosts) => recordsAt(zone, hosts, call),
        recordsOf: (records) => records,
        write: ({ add, remove }) => {
          const deletes = remove.flatMap((record) => record.id ?? []);
          // Another process has already written our record or deleted the one that we wanted to delete.
          return writeUnlessOvertaken(['already_exists', 'record_not_found'], () =>
            api.batch(zone.id, deletes, add.map(toCloudflare), call),
          );
        },
      }),
  };
});

const zoneOf = ({ id, name, name_servers }: CfZone): Zone => ({
  id,
  name: undotted(name),
  nameservers: (name_servers ?? []).map(undotted),
});

/** Whether the public reaches this zone: its name can exist in several accounts, and only a full one is served. */
const isWritable = ({ status, type }: CfZone): boolean => status === 'active' && type === 'full';
