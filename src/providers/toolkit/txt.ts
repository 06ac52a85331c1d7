/** Returns TXT in presentation form (RFC 1035 5.1). Escaped bytes are decimal in zone files, octal at Route 53. */
export function quoteTxt(value: string, radix: 8 | 10 = 10): string {
  return splitTxt(value)
    .map((chunk) => `"${Array.from(chunk, (byte) => escapeByte(byte, radix)).join('')}"`)
    .join(' ');
}

/** Parses presentation form. Text without a leading quote is returned unchanged: some providers store raw text. */
export function unquoteTxt(text: string, radix: 8 | 10 = 10): string {
  const trimmed = text.trim();
  if (!/^"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*$/su.test(trimmed)) return text;
  const strings = trimmed.match(/"(?:[^"\\]|\\.)*"/gsu) ?? [];
  return txtFromBytes(Buffer.concat(strings.map((quoted) => unescapeBytes(quoted.slice(1, -1), radix))));
}

/** Splits a value into character strings of at most 255 bytes each. An empty value gives one empty string. */
export function splitTxt(value: string): Buffer[] {
  const bytes = txtToBytes(value);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, i) =>
    bytes.subarray(i * 255, i * 255 + 255),
  );
  return chunks.length === 0 ? [Buffer.alloc(0)] : chunks;
}

/** Decodes TXT bytes. Bytes that are not UTF-8 become one character each; only foreign values contain them. */
export function txtFromBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : bytes.toString('latin1');
}

export const txtToBytes = (value: string): Buffer => Buffer.from(value, 'utf8');

function escapeByte(byte: number, radix: 8 | 10): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return `\\${character}`;
  if (byte >= 0x20 && byte < 0x7f) return character;
  return `\\${byte.toString(radix).padStart(3, '0')}`;
}

function unescapeBytes(text: string, radix: 8 | 10): Buffer {
  const pieces = text.match(/\\\d{3}|\\.|[^\\]+/gsu) ?? [];
  return Buffer.concat(
    pieces.map((piece) => {
      if (/^\\\d{3}$/.test(piece)) return Buffer.from([Number.parseInt(piece.slice(1), radix) & 0xff]);
      return Buffer.from(piece.startsWith('\\') ? piece.slice(1) : piece, 'utf8');
    }),
  );
}
