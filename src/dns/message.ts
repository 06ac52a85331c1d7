import {
  AUTHENTIC_DATA,
  CHECKING_DISABLED,
  RECURSION_DESIRED,
  decode,
  type Answer as WireRecord,
  type SoaAnswer,
  type SoaData,
  type TxtData,
} from 'dns-packet';
import type { ObservedRecord, ObservedType, Soa } from '../domain/observation/observation.ts';
import { printableText } from '../domain/observation/printable-text.ts';
import { canonicalValue } from '../domain/record.ts';

/** A decoded reply, reduced to the fields that observations need. */
export interface DnsMessage {
  id: number;
  authoritative: boolean;
  truncated: boolean;
  /** Whether the resolver has validated the answer (AD). */
  authenticated: boolean;
  /** The four bits of the header, extended by the eight bits of OPT (RFC 1035, RFC 6891). */
  rcode: number;
  answers: NamedRecord[];
  authorities: NamedRecord[];
  additionals: NamedRecord[];
  /** The SOA from the answer or `authority` section, with its owner name. */
  soa: (Soa & { owner: string }) | null;
  /** Whether the answers contain a DS record, which means that the parent zone declares this zone signed. */
  hasDs: boolean;
}

export interface NamedRecord extends ObservedRecord {
  name: string;
}

export type QuestionType = ObservedType | 'SOA' | 'DS';

export interface Question {
  name: string;
  type: QuestionType;
  /** RD: asks the server to resolve the name. Off for authoritative servers. */
  recursion: boolean;
  /** CD: asks a validating resolver to return an answer that fails validation. */
  checkingDisabled?: boolean;
}

export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** Payload size that is never fragmented in practice (DNS flag day 2020). */
const UDP_PAYLOAD = 1232;
const HEADER_BYTES = 12;

/** Encodes a query for a wire name, without an id. The general encoder would take a tenth of an exchange. */
export function encodeQuery({ name, type, recursion, checkingDisabled }: Question, edns: boolean): Buffer {
  const nameBytes = name === '' ? 1 : name.length + 2;
  const query = Buffer.alloc(HEADER_BYTES + nameBytes + 4 + (edns ? OPT.length : 0));
  // AD in a query requests AD in the answer, without the signatures (RFC 6840 section 5.7).
  const flags = (recursion ? RECURSION_DESIRED | AUTHENTIC_DATA : 0) | (checkingDisabled ? CHECKING_DISABLED : 0);
  query.writeUInt16BE(flags, 2);
  query.writeUInt16BE(1, 4);
  query.writeUInt16BE(edns ? 1 : 0, 10);
  let at = HEADER_BYTES;
  for (const label of name === '' ? [] : name.split('.')) {
    query[at] = label.length;
    query.write(label, at + 1, 'latin1');
    at += label.length + 1;
  }
  query.writeUInt16BE(TYPE_NUMBER[type], at + 1);
  query.writeUInt16BE(CLASS_IN, at + 3);
  if (edns) OPT.copy(query, at + 5);
  return query;
}

const TYPE_NUMBER: Record<QuestionType, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  CAA: 257,
};
const CLASS_IN = 1;

/** RFC 6891: root name, type 41, our payload size in place of the class, no flags, no options. */
const OPT = Buffer.from([0, 0, 41, UDP_PAYLOAD >> 8, UDP_PAYLOAD & 0xff, 0, 0, 0, 0, 0, 0]);

/** Decodes a message. Returns undefined for malformed bytes and never throws. */
export function decodeMessage(bytes: Buffer): DnsMessage | undefined {
  try {
    return toMessage(decode(bytes));
  } catch {
    return undefined;
  }
}

function toMessage(packet: ReturnType<typeof decode>): DnsMessage {
  const additionals = packet.additionals ?? [];
  const opt = additionals.find((record) => record.type === 'OPT');
  const soa = packet.authorities?.find(isSoa) ?? packet.answers?.find(isSoa);
  return {
    id: packet.id ?? 0,
    authoritative: packet.flag_aa,
    truncated: packet.flag_tc,
    authenticated: packet.flag_ad,
    rcode: ((opt?.extendedRcode ?? 0) << 4) | ((packet.flags ?? 0) & 0xf),
    answers: (packet.answers ?? []).flatMap(toRecord),
    authorities: (packet.authorities ?? []).flatMap(toRecord),
    additionals: additionals.flatMap(toRecord),
    soa: soa ? toSoa(soa.name, soa.ttl ?? 0, soa.data) : null,
    hasDs: packet.answers?.some(({ type }) => type === 'DS') ?? false,
  };
}

const isSoa = (record: WireRecord): record is SoaAnswer => record.type === 'SOA';

const toSoa = (owner: string, ttl: number, data: SoaData): Soa & { owner: string } => ({
  owner: wireName(owner),
  mname: wireName(data.mname),
  rname: wireName(data.rname),
  serial: data.serial ?? 0,
  negativeTtl: Math.min(ttl, data.minimum ?? 0),
});

function toRecord(record: WireRecord): NamedRecord[] {
  const seen = valueOf(record);
  if (!seen || record.type === 'OPT') return [];
  return [{ name: wireName(record.name), ttl: record.ttl ?? 0, priority: null, ...seen }];
}

function valueOf(record: WireRecord): { type: ObservedType; value: string; priority?: number } | undefined {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return { type: record.type, value: canonicalValue(record.type, record.data) };
    case 'CNAME':
    case 'NS':
      return { type: record.type, value: wireName(record.data) };
    case 'TXT':
      return { type: 'TXT', value: printableText(joined(record.data)) };
    case 'MX':
      return { type: 'MX', value: wireName(record.data.exchange), priority: record.data.preference ?? 0 };
    case 'SRV': {
      const { weight, port, target, priority } = record.data;
      return { type: 'SRV', value: `${weight ?? 0} ${port} ${wireName(target)}`, priority: priority ?? 0 };
    }
    case 'CAA': {
      const { flags, tag, value } = record.data;
      return { type: 'CAA', value: `${flags ?? 0} ${printable(tag)} "${printable(value)}"` };
    }
    default:
      return undefined;
  }
}

/** Joins the strings of one TXT record, which are pieces of one value (RFC 1035 section 3.3.14). */
function joined(data: TxtData): Buffer {
  const parts = (Array.isArray(data) ? data : [data]).map((part) =>
    typeof part === 'string' ? Buffer.from(part) : part,
  );
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

const printable = (text: string): string => printableText(Buffer.from(text));

/** Returns a name in lower case without a trailing dot, and escapes what could break logs, pages or Postgres. */
function wireName(name: string): string {
  if (name === '.') return '';
  return WIRE_NAME.test(name) ? name.toLowerCase() : printable(name.toLowerCase());
}

/** Labels of 1 to 63 printable ASCII bytes without dot or backslash (RFC 1035). They need no escaping. */
const WIRE_NAME = /^(?:[!-\-/-[\]-~]{1,63}\.)*[!-\-/-[\]-~]{1,63}$/;

/** Whether the name can be queried. */
export const isWireName = (name: string): boolean => name === '' || (name.length <= 253 && WIRE_NAME.test(name));

/** Sets the id of a query and randomizes the case of its name (0x20 encoding), which an attacker must guess too. */
export function randomize(query: Buffer, id: number, randomByte: () => number): void {
  query.writeUInt16BE(id, 0);
  for (let at = HEADER_BYTES, length = query[at] ?? 0; length > 0; at += length + 1, length = query[at] ?? 0) {
    let bits = 1;
    for (let i = at + 1; i <= at + length; i++) {
      if (bits === 1) bits = randomByte() | 0x100;
      const letter = (query[i] ?? 0) | CASE_BIT;
      if (letter >= 0x61 && letter <= 0x7a) query[i] = bits & 1 ? letter : letter ^ CASE_BIT;
      bits >>= 1;
    }
  }
}

const CASE_BIT = 0x20;

/** Whether a reply belongs to a query: it is a response with the same id and with the question in the same spelling. */
export function answersQuery(reply: Buffer, query: Buffer): 'yes' | 'other_case' | 'no' {
  const end = questionEnd(query);
  if (reply.length < end || reply.readUInt16BE(0) !== query.readUInt16BE(0)) return 'no';
  const isResponse = ((reply[2] ?? 0) & 0x80) !== 0;
  if (!isResponse || reply.readUInt16BE(4) !== 1) return 'no';
  if (reply.compare(query, HEADER_BYTES, end, HEADER_BYTES, end) === 0) return 'yes';
  const lower = (bytes: Buffer) => bytes.toString('latin1', HEADER_BYTES, end).toLowerCase();
  return lower(reply) === lower(query) ? 'other_case' : 'no';
}

function questionEnd(query: Buffer): number {
  let offset = HEADER_BYTES;
  for (let length = query[offset]; length; length = query[offset]) offset += length + 1;
  return offset + 1 + 4;
}
