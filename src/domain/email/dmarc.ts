/** A DMARC policy (RFC 7489 section 6.3), as far as its owner must know it before mail moves. */
export interface Dmarc {
  policy: 'none' | 'quarantine' | 'reject' | null;
  /** Tags by lower-case name. The first of duplicate tags counts. */
  tags: ReadonlyMap<string, string>;
}

export const isDmarc = (text: string): boolean => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text);

export function parseDmarc(record: string): Dmarc {
  const tags = new Map<string, string>();
  for (const part of record.split(';')) {
    const [name = '', value = ''] = part.split(/=(.*)/s).map((text) => text.trim());
    if (name !== '' && !tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), value);
  }
  const policy = tags.get('p')?.toLowerCase();
  return { policy: policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null, tags };
}

/** Returns a policy that only reports, to an address that the domain's owner can create. */
export const firstDmarc = (domain: string): string => `v=DMARC1; p=none; rua=mailto:dmarc@${domain}`;
