import type { ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../toolkit/call.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { readCredential, secretsOf } from '../toolkit/credential.ts';
import { dotted, zoneCandidates } from '../toolkit/names.ts';
import type { RemainingChange } from '../toolkit/remaining-change.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { client, type HostedZone, type RrSet, type SetChange } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Amazon Route 53. Sets are written whole, in batches that happen entirely or not at all. We never UPSERT: deleting the
 * set exactly as we read it and creating the new one in the same batch fails if somebody was faster, and then we read
 * again.
 */
export const route53: Provider = {
  descriptor,
  open: (credential, { http, baseUrl, now = Date.now }) => {
    const field = readCredential(descriptor, credential);
    const account = http.account({
      descriptor,
      baseUrl: baseUrl ?? descriptor.base_url ?? '',
      secrets: secretsOf(descriptor, credential),
    });
    const key = {
      accessKeyId: field('accessKeyId') ?? '',
      secretAccessKey: field('secretAccessKey') ?? '',
      sessionToken: field('sessionToken'),
    };
    const api = client(account, key, now);
    const usable = (zone: HostedZone): boolean =>
      !zone.isPrivate && (field('hostedZoneId') === undefined || zone.id === field('hostedZoneId'));

    const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<RrSet[]> =>
      (await Promise.all(hosts.map((host) => api.setsAt(zone.id, host, call)))).flat();

    return {
      verify: async (call) =>
        (await api.zones(call)).filter(usable).map(({ id, name }) => ({ id, name, nameservers: [] })),

      findZone: async (host, call) => {
        for (const name of zoneCandidates(host)) {
          const [found, second] = (await api.zonesNamed(name, call)).filter(usable);
          if (second) {
            const text = `this account has several public hosted zones named ${name}. Give the hosted zone ID in use.`;
            throw account.error('conflict', text);
          }
          if (found) return { id: found.id, name, nameservers: await api.nameservers(found.id, call) };
        }
        return undefined;
      },

      records: async (zone, hosts, call) => (await setsAt(zone, hosts, call)).flatMap(recordsOf),

      apply: (zone, change, call) =>
        applyChange(descriptor, zone, change, {
          read: (hosts) => setsAt(zone, hosts, call),
          recordsOf: (sets) => sets.flatMap(recordsOf),
          write: (left, before) => api.change(zone.id, changesFor(left, before), call),
        }),
    } satisfies Account;
  },
};

function recordsOf(set: RrSet): ZoneRecord[] {
  if (isServerOwn(set.type)) return [];
  const { host, ttl, alias, routed } = set;
  if (alias !== undefined) {
    return [{ host, ttl, type: 'ALIAS', value: alias, priority: null, id: null, readOnly: true, extra: null }];
  }
  return set.values.map((value) => ({
    ...fromRdata(set.type, value, 8),
    host,
    ttl,
    id: null,
    readOnly: routed,
    extra: null,
  }));
}

/** For each set that changes: the old one out exactly as it was read, the new one in. Foreign values keep their spelling. */
function changesFor(left: RemainingChange, before: readonly RrSet[]): SetChange[] {
  const touched = new Map([...left.remove, ...left.add].map(({ host, type }) => [`${host} ${type}`, { host, type }]));
  return [...touched.values()].flatMap(({ host, type }): SetChange[] => {
    const old = before.find((set) => set.host === host && set.type === type);
    const coming = left.add.filter((record) => record.host === host && record.type === type);
    const staying = (old?.values ?? []).filter((value) => {
      const held = fromRdata(type, value, 8);
      return !left.remove.some(
        (record) =>
          record.host === host &&
          record.type === type &&
          record.value === held.value &&
          record.priority === held.priority,
      );
    });
    const values = [...staying, ...coming.map((record) => toRdata(record, 8))];
    const ttl = old && staying.length > 0 ? old.ttl : (coming[0]?.ttl ?? 0);
    return [
      ...(old ? [{ action: 'DELETE', name: old.name, type, ttl: old.ttl, values: old.values } as const] : []),
      ...(values.length > 0 ? [{ action: 'CREATE', name: old?.name ?? dotted(host), type, ttl, values } as const] : []),
    ];
  });
}
