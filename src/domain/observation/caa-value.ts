export interface CaaValue {
  flags: number;
  tag: string;
  value: string;
}

/** Parses a CAA value such as `0 issue "letsencrypt.org"` (RFC 8659 4.1.1, RFC 1035 5.1); undefined for other text. */
export function parseCaa(text: string): CaaValue | undefined {
  const [, flags, tag, content] = /^(\d+)\s+(\S+)\s+(.*)$/s.exec(text.trim()) ?? [];
  if (flags === undefined || tag === undefined || content === undefined) return undefined;
  const quoted = /^"(.*)"$/s.exec(content)?.[1];
  return { flags: Number(flags), tag: tag.toLowerCase(), value: quoted === undefined ? content : unescaped(quoted) };
}

export const formatCaa = ({ flags, tag, value }: CaaValue): string =>
  `${flags} ${tag.toLowerCase()} "${escaped(value)}"`;

/** Returns the canonical spelling of a CAA value, and other text unchanged. */
export function canonicalCaa(text: string): string {
  const parsed = parseCaa(text);
  return parsed ? formatCaa(parsed) : text;
}

/** Escapes bytes that are not printable ASCII as decimal numbers. */
const escaped = (value: string): string =>
  value
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll(/[\0-\x1f\x7f-\xff]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);

const unescaped = (text: string): string =>
  text.replaceAll(/\\(\d{3}|.)/gs, (_, code: string) => (code.length === 3 ? String.fromCharCode(Number(code)) : code));
