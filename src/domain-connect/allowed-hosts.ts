/** Hosts that we may ask and send customers to. Strangers write `_domainconnect`, so others may be phishing pages. */
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

/** Allows hosts of known providers at the port of https, and the operator's own hosts, with a port if given. */
export function allowedHosts(more: readonly string[]): IsAllowed {
  const hosts = [...KNOWN, ...more.map((host) => host.toLowerCase())];
  return ({ protocol, host, username, password }) =>
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    hosts.some((allowed) => host === allowed || (!allowed.includes(':') && host.endsWith(`.${allowed}`)));
}
