/** DNS messages on the wire (RFC 1035 section 4), as far as queries and updates (RFC 2136) need them. */
export interface WireMessage {
  id: number;
  flags: number;
  question: readonly Question[];
  answer: readonly Resource[];
  authority: readonly Resource[];
  additional: readonly Resource[];
}

interface Question {
  name: string;
  type: number;
  class: number;
}

export interface Resource extends Question {
  ttl: number;
  /** The name in its original case. Case has no meaning, but a record that is put back keeps it. */
  owner?: string;
  /** Uncompressed, so that it can be compared and sent back unchanged. */
  data: Buffer;
}

export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  TSIG: 250,
  ANY: 255,
  CAA: 257,
};
export const CLASS = { IN: 1, NONE: 254, ANY: 255 };
export const OPCODE_UPDATE = 5 << 11;
export const FLAG_AUTHORITATIVE = 1 << 10;

export const rcodeOf = (message: Pick<WireMessage, 'flags'>): number => message.flags & 0xf;

export function encodeMessage({ id, flags, question, answer, authority, additional }: WireMessage): Buffer {
  const header = Buffer.alloc(12);
  const counts = [question.length, answer.length, authority.length, additional.length];
  [id, flags, ...counts].forEach((word, i) => header.writeUInt16BE(word, i * 2));
  return Buffer.concat([
    header,
    ...question.map((q) => Buffer.concat([encodeName(q.name), words(q.type, q.class)])),
    ...[...answer, ...authority, ...additional].map(encodeResource),
  ]);
}

function encodeResource({ name, owner = name, type, class: kind, ttl, data }: Resource): Buffer {
  const lifetime = Buffer.alloc(4);
  lifetime.writeUInt32BE(ttl);
  return Buffer.concat([encodeName(owner), words(type, kind), lifetime, words(data.length), data]);
}

/** Encodes a name without compression. Our labels are plain ASCII; other bytes are escapes from `decodeName`. */
export function encodeName(name: string): Buffer {
  if (name === '') return Buffer.from([0]);
  const labels = (name.match(/(?:\\\d{3}|\\.|[^\\.])+/g) ?? []).map((label) =>
    Buffer.from(
      label.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code))).replace(/\\([^\d])/g, '$1'),
      'latin1',
    ),
  );
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])]);
}

export const words = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => buffer.writeUInt16BE(value, i * 2));
  return buffer;
};

/** Decodes a message. Throws a RangeError if it is incomplete or malformed. */
export function decodeMessage(wire: Buffer): WireMessage {
  const word = (offset: number): number => wire.readUInt16BE(offset);
  let offset = 12;
  const question = Array.from({ length: word(4) }, (): Question => {
    const { name, next } = decodeName(wire, offset);
    offset = next + 4;
    return { name, type: word(next), class: word(next + 2) };
  });
  const section = (count: number): Resource[] =>
    Array.from({ length: count }, () => {
      const { resource, next } = decodeResource(wire, offset);
      offset = next;
      return resource;
    });
  const answer = section(word(6));
  const authority = section(word(8));
  return { id: word(0), flags: word(2), question, answer, authority, additional: section(word(10)) };
}

function decodeResource(wire: Buffer, start: number): { resource: Resource; next: number } {
  const { name: owner, next } = decodeNameAsSpelled(wire, start);
  const name = owner.toLowerCase();
  const type = wire.readUInt16BE(next);
  const from = next + 10;
  const to = from + wire.readUInt16BE(next + 8);
  if (to > wire.length) throw new RangeError('A record ends after the message.');
  const data = decompress(wire, type, from, to);
  return {
    resource: { name, owner, type, class: wire.readUInt16BE(next + 2), ttl: wire.readUInt32BE(next + 4), data },
    next: to,
  };
}

/** Decompresses names in record data. Only types of RFC 1035 compress them (RFC 3597 section 4). */
function decompress(wire: Buffer, type: number, from: number, to: number): Buffer {
  if (type === TYPE.NS || type === TYPE.CNAME) return encodeName(decodeNameAsSpelled(wire, from).name);
  if (type === TYPE.MX)
    return Buffer.concat([wire.subarray(from, from + 2), encodeName(decodeNameAsSpelled(wire, from + 2).name)]);
  return Buffer.from(wire.subarray(from, to));
}

/** Decodes a name in lower case, for comparison. */
export function decodeName(wire: Buffer, start: number): { name: string; next: number } {
  const { name, next } = decodeNameAsSpelled(wire, start);
  return { name: name.toLowerCase(), next };
}

/** Decodes a name in its original case, without a trailing dot and with special bytes escaped. */
function decodeNameAsSpelled(wire: Buffer, start: number): { name: string; next: number } {
  const labels: string[] = [];
  let offset = start;
  let next: number | undefined;
  for (let hops = 0; ;) {
    const length = wire.readUInt8(offset);
    if (length === 0) break;
    if (length >= 0xc0) {
      // A chain of pointers that is longer than any name must be a loop.
      if (++hops > 128) throw new RangeError('A name points at itself.');
      next ??= offset + 2;
      offset = wire.readUInt16BE(offset) & 0x3fff;
      continue;
    }
    if (offset + 1 + length > wire.length) throw new RangeError('A label ends after the message.');
    labels.push(Array.from(wire.subarray(offset + 1, offset + 1 + length), labelCharacter).join(''));
    offset += 1 + length;
  }
  return { name: labels.join('.'), next: next ?? offset + 1 };
}

function labelCharacter(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '.' || character === '\\') return `\\${character}`;
  return byte > 0x20 && byte < 0x7f ? character : `\\${byte.toString().padStart(3, '0')}`;
}
