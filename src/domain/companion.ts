/**
 * People type www before an apex and leave it out before www: the name beside a hostname that means the same site. None
 * for other names. `domain` is the registrable domain.
 */
export function companionName(hostname: string, domain: string): string | null {
  if (hostname === domain) return `www.${domain}`;
  return hostname === `www.${domain}` ? domain : null;
}

/** The same from the name alone, for a name that is known to be one of the two. */
export const companionHostname = (hostname: string): string =>
  hostname.startsWith('www.') ? hostname.slice('www.'.length) : `www.${hostname}`;
