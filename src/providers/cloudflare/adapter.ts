import type { Call } from '../toolkit/call.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { readCredential, secretsOf } from '../toolkit/credential.ts';
import { undotted, zoneCandidates } from '../toolkit/names.ts';
import { ProviderError } from '../provider-error.ts';
import { AlreadyThere, type CfZone, client } from './client.ts';
import { descriptor } from './descriptor.ts';
import { fromCloudflare, toCloudflare } from './record.ts';

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

      apply: (zone, change, call) =>
        applyChange(descriptor, zone, change, {
          read: (hosts) => recordsAt(zone, hosts, call),
          recordsOf: (records) => records,
          write: ({ add, remove }) => {
            const deletes = remove.flatMap((record) => record.id ?? []);
            return wasNotOvertaken(api.batch(zone.id, deletes, add.map(toCloudflare), call));
          },
        }),
    } satisfies Account;
  },
};

/** False if ours was written by somebody else already, or what we meant to delete is gone already. */
const wasNotOvertaken = (batch: Promise<void>): Promise<boolean> =>
  batch.then(
    () => true,
    (failure: unknown) => {
      if (failure instanceof AlreadyThere) return false;
      if (failure instanceof ProviderError && failure.code === 'record_not_found') return false;
      throw failure;
    },
  );

const zoneOf = ({ id, name, name_servers }: CfZone): Zone => ({
  id,
  name: undotted(name),
  nameservers: (name_servers ?? []).map(undotted),
});

/** The same name may exist in several accounts and setups; only an active full zone is the one the world asks. */
const isWritable = ({ status, type }: CfZone): boolean => status === 'active' && type === 'full';
