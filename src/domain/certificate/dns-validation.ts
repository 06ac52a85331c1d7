/** Whether the hostname means every label below a domain. */
export const isWildcard = (hostname: string): boolean => hostname.startsWith('*.');

/** Returns the hostname without its star. */
export const baseOf = (hostname: string): string => (isWildcard(hostname) ? hostname.slice(2) : hostname);

/** Returns the name of the TXT record by which a CA validates a hostname (RFC 8555 section 8.4). */
export const challengeHost = (hostname: string): string => `_acme-challenge.${baseOf(hostname)}`;
