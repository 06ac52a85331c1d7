/** Label of the DNS-01 challenges (RFC 8555 section 8.4). */
export const ACME_LABEL = '_acme-challenge';
const STAR = '*.';

/** Whether the hostname is a wildcard, such as `*.customer.com`: every label below a domain. */
export const isWildcard = (hostname: string): boolean => hostname.startsWith(STAR);

/** Returns the hostname without its star: the domain whose owner proves a wildcard. */
export const baseOf = (hostname: string): string => (isWildcard(hostname) ? hostname.slice(STAR.length) : hostname);

/** Returns the name of the challenges of a hostname. A wildcard and its domain share it. */
export const challengeHost = (hostname: string): string => `${ACME_LABEL}.${baseOf(hostname)}`;
