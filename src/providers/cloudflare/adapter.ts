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

/**
 * Cloudflare. Every value is a record of its own with an id, so adding ours beside a foreign one touches nothing. A
 * change is one batch, which is a transaction. Two writers of the same value meet as "identical record", and the later
 * one reads again.
 */
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
          // Ours was written by another process already, or what we meant to delete is gone already.
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

/** The same name may exist in several accounts and setups; only an active full zone is the one the world asks. */
const isWritable = ({ status, type }: CfZone): boolean => status === 'active' && type === 'full';
