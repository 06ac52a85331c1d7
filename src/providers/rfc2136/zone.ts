import type { Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { client, Unnumbered } from './client.ts';
import { CLASS, FLAG_AUTHORITATIVE, type WireMessage, OPCODE_UPDATE, rcodeOf, type Resource, TYPE } from './message.ts';
import { decodeData, encodeData } from './rdata.ts';
import { refusalOf } from './refusal.ts';

/** A record of the zone with its exact bytes, which comparisons, removals and prerequisites use. */
export interface ZoneResource {
  record: ZoneRecord;
  resource: Resource;
}

type Ask = ReturnType<typeof client>;

/**
 * Types that can exist next to ours; ANY may be answered incompletely (RFC 8482). Unnamed: PTR, HINFO, LOC, NAPTR,
 * DNAME, DS, SSHFP, TLSA, SMIMEA, OPENPGPKEY, SVCB, HTTPS, URI, SPF, RP and AFSDB.
 */
export const READ_TYPES: readonly number[] = [
  ...[TYPE.A, TYPE.AAAA, TYPE.CNAME, TYPE.NS, TYPE.MX, TYPE.TXT, TYPE.SRV, TYPE.CAA],
  ...[12, 13, 29, 35, 39, 43, 44, 52, 53, 61, 64, 65, 256, 99, 17, 18],
];

export async function resourcesAt(ask: Ask, zone: string, host: string, call?: Call): Promise<ZoneResource[]> {
  const replies = await ask(
    READ_TYPES.map((type) => query(host, type)),
    false,
    call,
  );
  const found = replies.flatMap((reply, i) => resourcesOf(reply, host, READ_TYPES[i] ?? 0));
  if (found.length === 0 || (host !== zone && !(await isInUse(ask, zone, host, call)))) return [];
  return found.map((resource) => {
    const value = decodeData(resource.type, resource.data);
    const { ttl } = resource;
    return { resource, record: { ...value, host, ttl, id: null, readOnly: false, extra: spellingOf(resource, value) } };
  });
}

/** Returns what our own spelling loses of a record: the case of its owner and target, the pieces of its text. */
function spellingOf({ name, owner, data }: Resource, value: ReturnType<typeof decodeData>): Extra | null {
  const { type } = value;
  const isOurs = type !== 'OTHER' && encodeData({ ...value, type }).data.equals(data);
  if (isOurs && owner === name) return null;
  return { owner: owner ?? name, data: data.toString('base64') };
}

export async function holdsZone(ask: Ask, zone: string, call?: Call): Promise<boolean> {
  const [reply] = await ask([query(zone, TYPE.SOA)], false, call);
  if (!reply || rcodeOf(reply) === 2) throw refusalOf(2);
  const authoritative = (reply.flags & FLAG_AUTHORITATIVE) !== 0;
  return authoritative && reply.answer.some((resource) => resource.type === TYPE.SOA && resource.name === zone);
}

/** Sends an update. Returns whether its prerequisites held (RFC 2136 section 2.4), and throws for any other refusal. */
export async function update(
  ask: Ask,
  zone: string,
  { prerequisites, updates }: { prerequisites: readonly Resource[]; updates: readonly Resource[] },
  call?: Call,
): Promise<boolean> {
  const message: Unnumbered = {
    flags: OPCODE_UPDATE,
    question: [{ name: zone, type: TYPE.SOA, class: CLASS.IN }],
    answer: prerequisites,
    authority: updates,
    additional: [],
  };
  const [reply] = await ask([message], updates.length > 0, call);
  const rcode = reply ? rcodeOf(reply) : 2;
  if (rcode === 0) return true;
  if (PREREQUISITE_FAILED.has(rcode)) return false;
  throw refusalOf(rcode, updates.length > 0);
}

/** NXDOMAIN, YXDOMAIN, YXRRSET and NXRRSET. */
const PREREQUISITE_FAILED: ReadonlySet<number> = new Set([3, 6, 7, 8]);

/** Whether a name exists, by the prerequisite of an empty update: a wildcard answers queries for any name. */
const isInUse = (ask: Ask, zone: string, host: string, call?: Call): Promise<boolean> => {
  const inUse = { name: host, type: TYPE.ANY, class: CLASS.ANY, ttl: 0, data: Buffer.alloc(0) };
  return update(ask, zone, { prerequisites: [inUse], updates: [] }, call);
};

const query = (name: string, type: number): Unnumbered => ({
  flags: 0,
  question: [{ name, type, class: CLASS.IN }],
  answer: [],
  authority: [],
  additional: [],
});

/** Returns the records of a reply. A delegation is a referral: its NS records are in the `authority` section. */
function resourcesOf(reply: WireMessage, host: string, type: number): Resource[] {
  const rcode = rcodeOf(reply);
  if (rcode === 3) return [];
  if (rcode !== 0) throw refusalOf(rcode);
  const referral = type === TYPE.NS && reply.answer.length === 0 ? reply.authority : [];
  return [...reply.answer, ...referral].filter((resource) => resource.name === host && resource.type === type);
}
