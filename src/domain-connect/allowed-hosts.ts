/**
 * Whose hosts may be asked, and to which the customer may be sent. `_domainconnect` is the domain owner's text: without
 * this list any owner could have us ask any host, or lead the tenant's customers to a page that looks like a provider's.
 */
const KNOWN = [
  'cloudflare.com',
  'vercel.com',
  'godaddy.com',
  'ionos.com',
  '1and1.com',
  'wordpress.com',
  'squarespace.com',
];

export type IsAllowed = (url: URL) => boolean;

/** The known providers' hosts at https's own port, and those that the operator names, with a port where one is named. */
export function allowedHosts(more: readonly string[]): IsAllowed {
  const hosts = [...KNOWN, ...more.map((host) => host.toLowerCase())];
  return ({ protocol, host, username, password }) =>
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    hosts.some((allowed) => host === allowed || (!allowed.includes(':') && host.endsWith(`.${allowed}`)));
}
