/** A CAA value in its parts. */
export interface CaaValue {
  flags: number;
  tag: string;
  value: string;
}

/**
 * Reads the presentation form in which records carry CAA: `0 issue "letsencrypt.org"`. RFC 8659 section 4.1.1: the tag
 * ignores case, and the quotes around the value may be left out. Text that is no CAA value gives nothing.
 */
export function parseCaa(text: string): CaaValue | undefined {
  const [, flags, tag, value] = /^(\d+)\s+(\S+)\s+"?(.*?)"?$/s.exec(text.trim()) ?? [];
  if (flags === undefined || tag === undefined || value === undefined) return undefined;
  return { flags: Number(flags), tag: tag.toLowerCase(), value };
}

export const formatCaa = ({ flags, tag, value }: CaaValue): string => `${flags} ${tag} "${value}"`;
