import type { Addition, ZoneChange, ZoneRecord } from '../../domain/zone-record.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { readCredential, secretsOf } from '../toolkit/credential.ts';
import { dotted, undotted, zoneCandidates } from '../toolkit/names.ts';
import { hostsOf, type RemainingChange } from '../toolkit/remaining-change.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { client, type RrSet, type RrSetPatch, type ZoneHead } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * PowerDNS Authoritative. Sets are replaced whole and nothing can be compared before, so reading and writing happen
 * inside the zone's lock, and the values we did not come for go back in the very spelling in which they were read. One
 * PATCH is one transaction.
 */
export const powerdns: Provider = {
  descriptor,
  open: (credential, { http, exclusive, baseUrl, allowPrivate = false }) => {
    const field = readCredential(descriptor, credential);
    const address = baseUrl ?? field('apiUrl') ?? '';
    const account = http.account({
      descriptor,
      baseUrl: address,
      ...(baseUrl === undefined && { tenantGiven: { allowPrivate } }),
      secrets: secretsOf(descriptor, credential),
    });
    const api = client(account, { apiKey: field('apiKey') ?? '', serverId: field('serverId') ?? 'localhost' });

    return {
      verify: async (call) => (await api.zones(call)).filter(isWritable).map(zoneOf),

      findZone: async (host, call) => {
        for (const name of zoneCandidates(host)) {
          const found = (await api.zonesNamed(name, call)).find((zone) => undotted(zone.name) === name);
          if (found) return isWritable(found) ? zoneOf(found) : undefined;
        }
        return undefined;
      },

      records: async (zone, hosts, call) => recordsAt(await api.rrsets(zone.id, call), hosts),

      apply: (zone, change, call) =>
        exclusive(`powerdns ${address} ${zone.name}`, () =>
          applyChange(descriptor, zone, change, {
            read: () => api.rrsets(zone.id, call),
            recordsOf: (rrsets) => recordsAt(rrsets, hostsOf(zone, change)),
            write: async (left, before) => {
              await api.patch(zone.id, patchesFor(left, before), call);
              return true;
            },
          }),
        ),
    } satisfies Account;
  },
};

const zoneOf = ({ id, name }: ZoneHead): Zone => ({ id, name: undotted(name), nameservers: [] });

/** A secondary's content is overwritten by its primary at the next transfer. */
const isWritable = ({ kind }: ZoneHead): boolean => /^(native|master|primary|producer)$/i.test(kind);

function recordsAt(rrsets: readonly RrSet[], hosts: readonly string[]): ZoneRecord[] {
  return rrsets
    .filter((set) => hosts.includes(undotted(set.name)) && !isServerOwn(set.type))
    .flatMap((set) =>
      set.records
        .filter((record) => !record.disabled)
        .map((record) => ({
          ...fromRdata(set.type, record.content),
          host: undotted(set.name),
          ttl: set.ttl,
          id: null,
          readOnly: false,
          extra: null,
        })),
    );
}

/** One patch for each set that changes: what stands there, less what goes, plus what comes. */
function patchesFor(left: RemainingChange, before: readonly RrSet[]): RrSetPatch[] {
  const touched = new Map([...left.remove, ...left.add].map(({ host, type }) => [`${host} ${type}`, { host, type }]));
  return [...touched.values()].map(({ host, type }) => {
    const set = before.find((candidate) => undotted(candidate.name) === host && candidate.type === type);
    const name = set?.name ?? dotted(host);
    const leaving = contentsOf(left.remove, host, type, set);
    const staying = (set?.records ?? []).filter((record) => record.disabled || !leaving.has(record.content));
    const coming = left.add.filter((record) => record.host === host && record.type === type);
    const records = [...staying, ...coming.map((record) => ({ content: toRdata(record), disabled: false }))];
    if (records.length === 0) return { name, type, changetype: 'DELETE' };
    return { name, type, ttl: ttlOf(coming, staying.length > 0 ? set : undefined), changetype: 'REPLACE', records };
  });
}

/** The server's own spelling of the values to be removed. */
function contentsOf(remove: ZoneChange['remove'], host: string, type: string, set: RrSet | undefined): Set<string> {
  const values = remove.filter((record) => record.host === host && record.type === type);
  const isLeaving = (content: string): boolean => {
    const held = fromRdata(type, content);
    return values.some((record) => record.value === held.value && record.priority === held.priority);
  };
  return new Set(set?.records.map((record) => record.content).filter(isLeaving));
}

const ttlOf = (coming: readonly Addition[], set: RrSet | undefined): number => set?.ttl ?? coming[0]?.ttl ?? 0;
