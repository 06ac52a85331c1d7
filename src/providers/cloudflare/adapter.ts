import type { Call } from '../call.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { readCredential, secretsOf } from '../credential.ts';
import { undotted, zoneCandidates } from '../names.ts';
import { applied, hostsOf, isDone, outstanding } from '../outstanding.ts';
import { ProviderError } from '../provider-error.ts';
import { AlreadyThere, type CfZone, client } from './client.ts';
import { descriptor } from './descriptor.ts';
import { fromCloudflare, toCloudflare } from './record.ts';

const ATTEMPTS_MAX = 3;

/**
 * Cloudflare. Every value is a record of its own with an id, so adding ours beside a foreign one touches nothing. A
 * change is one batch, which is a transaction. Two writers of the same value meet as "identical record", and the later
 * one reads again.
 */
export const cloudflare: Provider = {
  descriptor,
  open: (credential, { http, baseUrl }) => {
    const field = readCredential(descriptor, credential);
    const account = http.account({
      descriptor,
      baseUrl: baseUrl ?? descriptor.base_url ?? '',
      secrets: secretsOf(descriptor, credential),
    });
    const api = client(account, field('apiToken') ?? '');

    const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call) => {
      const found = await Promise.all(hosts.map((host) => api.recordsNamed(zone.id, host, call)));
      return found.flat().map((record) => fromCloudflare(record, zone.name));
    };

    return {
      verify: async (call) => (await api.zones({}, call)).filter(isWritable).map(zoneOf),

      findZone: async (host, call) => {
        for (const name of zoneCandidates(host)) {
          const found = (await api.zones({ name }, call)).find(
            (zone) => isWritable(zone) && undotted(zone.name) === name,
          );
          if (found) return zoneOf(found);
        }
        return undefined;
      },

      records: recordsAt,

      apply: async (zone, change, call) => {
        const hosts = hostsOf(zone, change);
        for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
          const current = await recordsAt(zone, hosts, call);
          const left = outstanding(descriptor, zone, change, current);
          if (isDone(left)) return applied(attempt > 1, change, current);
          const deletes = left.remove.flatMap((record) => record.id ?? []);
          try {
            await api.batch(zone.id, deletes, left.add.map(toCloudflare), call);
          } catch (failure) {
            if (isOvertaken(failure)) continue;
            throw failure;
          }
          return applied(true, change, await recordsAt(zone, hosts, call));
        }
        throw new ProviderError('transient', `${descriptor.name}: ${zone.name} is being changed by others; try again.`);
      },
    } satisfies Account;
  },
};

/** Ours was written by somebody else already, or what we meant to delete is gone already. */
const isOvertaken = (failure: unknown): boolean =>
  failure instanceof AlreadyThere || (failure instanceof ProviderError && failure.code === 'record_not_found');

const zoneOf = ({ id, name, name_servers }: CfZone): Zone => ({
  id,
  name: undotted(name),
  nameservers: (name_servers ?? []).map(undotted),
});

/** The same name may exist in several accounts and setups; only an active full zone is the one the world asks. */
const isWritable = ({ status, type }: CfZone): boolean => status === 'active' && type === 'full';
