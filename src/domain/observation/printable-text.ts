const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the unambiguous spelling of a TXT value, with RFC 1035 escapes for bytes that Postgres' JSON cannot hold. */
export function printableText(bytes: Uint8Array): string {
  const text = asText(bytes);
  if (text !== undefined) return text;
  let escaped = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== BACKSLASH;
    escaped += plain ? String.fromCharCode(byte) : `\\${byte.toString().padStart(3, '0')}`;
  }
  return escaped;
}

const BACKSLASH = 0x5c;
/** Matches nearly every value, and avoids the slower Unicode check. */
const PLAIN = /^[ -[\]-~]*$/;

/** Returns the spelling in which a wanted value would be observed. */
export const printableOf = (value: string): string => printableText(encoder.encode(value));

function asText(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return PLAIN.test(text) || !/[\p{Cc}\p{Cf}\\]/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
