import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { undotted } from '../toolkit/names.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type HostList, type HostRow } from './client.ts';
import { descriptor } from './descriptor.ts';
import { changedHosts, fromRow, lostRow, obstacleIn } from './host-rows.ts';

/**
 * Namecheap. The only write replaces all records of the domain, without a comparison. The adapter must write inside the
 * zone lock, send every other record back as read, refuse a domain where it cannot, and compare the result.
 */
export const namecheap = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, {
    apiUser: fields.api_user,
    apiKey: fields.api_key,
    userName: fields.user_name ?? fields.api_user,
    clientIp: fields.client_ip,
  });
  const zones = async (term: string | undefined, call?: Call): Promise<Zone[]> =>
    (await api.domains(term, call)).map((name) => ({ id: name, name: undotted(name), nameservers: [] }));
  const recordsIn = (zone: Zone, { rows }: HostList, hosts: readonly string[]) =>
    rows.map((row) => fromRow(row, zone.name)).filter(({ host }) => hosts.includes(host));

  return {
    verify: (call) => zones(undefined, call),

    // The search term keeps a large account's listing short. It is poorly documented, so a miss proves nothing.
    findZone: async (host, call) =>
      longestZone(host, await zones(host.split('.').slice(-2).join('.'), call)) ??
      longestZone(host, await zones(undefined, call)),

    records: async (zone, hosts, call) => recordsIn(zone, await api.hosts(zone.id, call), hosts),

    apply: (zone, change, call) =>
      applyLocked<HostList>({ descriptor, zoneLock, zone, change, call }, () => {
        let kept: readonly HostRow[] = [];
        return {
          read: async () => {
            const list = await api.hosts(zone.id, call);
            const lost = lostRow(kept, list.rows);
            if (!lost) return list;
            const what = `${lost.type} ${lost.name} ${lost.address} (TTL ${lost.ttl})`;
            throw http.error('conflict', `${what} was sent back unchanged but no longer exists. Enter it again.`);
          },
          recordsOf: (list, hosts) => recordsIn(zone, list, hosts),
          write: async (left, before) => {
            const after = changedHosts(left, before, zone.name);
            const obstacle = obstacleIn(before, after);
            if (obstacle !== undefined) throw http.error('conflict', obstacle);
            await api.setHosts(zone.id, after, call);
            kept = before.rows.filter((row) => after.rows.includes(row));
            return true;
          },
        };
      }),
  };
});
