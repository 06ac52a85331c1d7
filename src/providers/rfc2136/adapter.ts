import { z } from 'zod';
import type { Addition } from '../../domain/zone/zone-record.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import type { Call } from '../call.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { type FieldsOf, readCredential } from '../toolkit/credential.ts';
import { EVERY_NETWORK, NO_NETWORKS } from '../../net/address.ts';
import { isInZone } from '../../domain/record.ts';
import { undotted } from '../toolkit/names.ts';
import type { RemainingChange } from '../toolkit/remaining-change.ts';
import { ProviderError } from '../provider-error.ts';
import { client } from './client.ts';
import { descriptor } from './descriptor.ts';
import { CLASS, type Resource } from './message.ts';
import { encodeData } from './rdata.ts';
import { isAlgorithm, type TsigKey } from './tsig.ts';
import { holdsZone, READ_TYPES, type ZoneResource, resourcesAt, update } from './zone.ts';

/**
 * DNS UPDATE with TSIG, for BIND, Knot, PowerDNS and others. A message takes effect as a whole. Its prerequisites must
 * state what the adapter has read, so a value is never added to a set that has changed since.
 */
export const rfc2136: Provider = {
  descriptor,
  open: (credential, { allowPrivate = false, guards, clock: { now } }) => {
    const fields = readCredential(descriptor, credential);
    const zoneName = undotted(fields.zone);
    const port = Number(fields.port ?? 53);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new ProviderError('validation', `${descriptor.name}: the port must be a number from 1 to 65535.`);
    }
    const dial = { ...guards, allowed: allowPrivate ? EVERY_NETWORK : NO_NETWORKS };
    const ask = client({ host: fields.server, port, dial }, readKey(fields), now);
    const zone: Zone = { id: zoneName, name: zoneName, nameservers: [] };

    const present = async (hosts: readonly string[], call?: Call): Promise<ZoneResource[]> => {
      const found: ZoneResource[] = [];
      for (const host of hosts) found.push(...(await resourcesAt(ask, zoneName, host, call)));
      return found;
    };
    const find = async (call?: Call): Promise<Zone | undefined> =>
      (await holdsZone(ask, zoneName, call)) ? zone : undefined;

    return {
      verify: async (call) => {
        const found = await find(call);
        if (!found)
          throw new ProviderError('zone_not_found', `${descriptor.name}: the server has no zone ${zoneName}.`);
        // A server refuses even an empty update to a key that may not update.
        await update(ask, zoneName, { prerequisites: [], updates: [] }, call);
        return [found];
      },

      findZone: async (host, call) => (isInZone(host, zoneName) ? find(call) : undefined),

      records: async (_zone, hosts, call) => (await present(hosts, call)).map(({ record }) => record),

      apply: (target, change, call) =>
        applyChange(descriptor, target, change, {
          read: (hosts) => present(hosts, call),
          recordsOf: (found) => found.map(({ record }) => record),
          write: (left, before) => update(ask, target.name, messageFor(left, before), call),
        }),
    } satisfies Account;
  },
};

function readKey({ algorithm: given = 'hmac-sha256', secret, key_name }: FieldsOf<typeof descriptor>): TsigKey {
  const algorithm = undotted(given);
  if (!isAlgorithm(algorithm)) {
    throw new ProviderError(
      'validation',
      `${descriptor.name}: the algorithm ${algorithm} is not supported; use hmac-sha256.`,
    );
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) {
    throw new ProviderError('validation', `${descriptor.name}: the TSIG secret must be the base64 text of the key.`);
  }
  return { name: undotted(key_name), algorithm, secret: Buffer.from(secret, 'base64') };
}

const NOTHING = Buffer.alloc(0);

/** Returns prerequisites, deletions and additions. Deletions come first, so that a set can change its TTL or type. */
function messageFor(
  left: RemainingChange,
  before: readonly ZoneResource[],
): { prerequisites: Resource[]; updates: Resource[] } {
  const leaving = before.filter(({ record }) => left.remove.includes(record));
  const coming = left.add.map((record) => ({
    name: record.host,
    class: CLASS.IN,
    ttl: record.ttl,
    ...encodeData(record),
    ...spelledIn(record.extra),
  }));
  const hosts = [...new Set(coming.map(({ name }) => name))];
  return {
    prerequisites: hosts.flatMap((host) => asSeen(host, before)),
    updates: [...leaving.map(({ resource }) => ({ ...resource, class: CLASS.NONE, ttl: 0 })), ...coming],
  };
}

const Kept = z.object({ owner: z.string(), data: z.base64() });

/** Returns the former spelling of a record that is put back. */
function spelledIn(extra: Addition['extra']): Partial<Pick<Resource, 'owner' | 'data'>> {
  const kept = Kept.safeParse(extra).data;
  return kept === undefined ? {} : { owner: kept.owner, data: Buffer.from(kept.data, 'base64') };
}

/** Returns prerequisites (RFC 2136 2.4.2, 2.4.3): the known sets, unchanged. Sets of unknown types may exist. */
function asSeen(host: string, before: readonly ZoneResource[]): Resource[] {
  const here = before.filter(({ record }) => record.host === host).map(({ resource }) => resource);
  const absent = READ_TYPES.filter((type) => !here.some((resource) => resource.type === type));
  return [
    ...here.map((resource) => ({ ...resource, class: CLASS.IN, ttl: 0 })),
    ...absent.map((type) => ({ name: host, type, class: CLASS.NONE, ttl: 0, data: NOTHING })),
  ];
}
