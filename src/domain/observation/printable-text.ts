const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The one spelling of a TXT value in observations. Text stays text; bytes that are not valid UTF-8, or hold control
 * characters or a backslash, are written as RFC 1035 escapes (`\000`), because Postgres' JSON cannot hold NUL. Two
 * values are equal to the byte exactly when their spellings are: only the escaped form ever contains a backslash.
 */
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
/** Nearly every value; spares them the slow look at Unicode. */
const PLAIN = /^[ -[\]-~]*$/;

/** The spelling under which a wanted value would be seen. */
export const printableOf = (value: string): string => printableText(encoder.encode(value));

function asText(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return PLAIN.test(text) || !/[\p{Cc}\p{Cf}\\]/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
