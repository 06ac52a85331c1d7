import { isIP } from 'node:net';
import type { Environment } from '../domain/connection/connection.ts';
import type { Problem } from '../domain/errors.ts';
import { isDnsName } from '../domain/hostname.ts';
import { bareHost, DialError, NOT_DIALLED, resolveAllForDial, type DialPolicy } from '../net/safe-dial.ts';
import { isOwnHost, type OwnHosts } from './own-hosts.ts';

type Checked<T> = { ok: true; value: T } | { ok: false; problem: Problem };

const refused = (path: string, code: string, message: string, suggestion?: string): Checked<never> => ({
  ok: false,
  problem: { path, code, message: `${path}: ${message}`, ...(suggestion === undefined ? {} : { suggestion }) },
});

/** Checks an origin as browsers send it: scheme, host and port. Only test applications may use http, on localhost. */
export function checkOrigin(text: string, path: string, environment: Environment): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return refused(path, 'origin', 'must be an origin, such as https://app.example.com.');
  if (!isLoopback(url.hostname) && !isDialable(url.hostname))
    return refused(path, 'origin', 'must name one host; wildcards are not possible.');
  if (text.toLowerCase().replace(/\/$/, '') !== url.origin)
    return refused(path, 'origin', 'must be scheme, host and port only.', url.origin);
  if (url.protocol === 'http:' && !(environment === 'test' && isLoopback(url.hostname)))
    return refused(path, 'https', 'must be https; in the test environment http://localhost is allowed too.');
  return { ok: true, value: url.origin };
}

/** Checks the text of the URL to which the edge sends visitors. `addressProblem` checks the addresses of its host. */
export function checkOriginUrl(text: string, path: string, own: OwnHosts): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.port === '0' || !isDialable(url.hostname))
    return refused(path, 'url', 'must be an http or https address, such as https://app.example.com.');
  if (url.username !== '' || url.password !== '')
    return refused(path, 'userinfo', 'must not hold a user name or password.');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]$/.test(text))
    return refused(path, 'path', 'must be scheme, host and port only.', url.origin);
  if (REFUSED_PORTS.has(url.port))
    return refused(path, 'port', `must not use port ${url.port}, which websites do not use.`);
  if (isOwnHost(own, bareHost(url.hostname)) && !isLoopback(url.hostname))
    return refused(path, 'own_host', 'must not point to this service.');
  return { ok: true, value: url.origin };
}

/** Checks the text of the URL to which a connection redirects visitors. */
export function checkRedirectUrl(text: string, path: string): Checked<string> {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.hostname === '')
    return refused(path, 'url', 'must be an https address, such as https://www.example.com.');
  if (url.username !== '' || url.password !== '')
    return refused(path, 'userinfo', 'must not hold a user name or password.');
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(text))
    return refused(path, 'query', 'must have no query and no fragment.', url.origin + url.pathname);
  return { ok: true, value: url.href };
}

/** Checks the text of a URL on the edge's pages, which visitors' browsers load or follow. */
export function checkPageUrl(text: string, path: string, schemes: readonly string[]): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol))
    return refused(path, 'url', `must be a URL that begins with ${schemes.join(' or ')}.`);
  if (url.protocol === 'mailto:')
    return /^[^\s@,?]+@[^\s@,?]+$/.test(url.pathname) && url.search === ''
      ? { ok: true, value: url.href }
      : refused(path, 'url', 'must have one mail address, such as mailto:help@example.com.');
  if (url.username !== '' || url.password !== '')
    return refused(path, 'userinfo', 'must not hold a user name or password.');
  // The host becomes part of the page's Content-Security-Policy, so it must not contain a wildcard or a separator.
  if (!isDnsName(url.hostname) || isIP(url.hostname) > 0)
    return refused(path, 'url', 'must have a host name, such as www.example.com.');
  return { ok: true, value: url.href };
}

/** Checks the text of the URL of a webhook receiver. `addressProblem` checks the addresses of its host. */
export function checkReceiverUrl(text: string, path: string, environment: Environment): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.port === '0' || !isReceiver(url.hostname))
    return refused(path, 'url', 'must be an https address, such as https://app.example.com/webhooks.');
  if (url.username !== '' || url.password !== '')
    return refused(path, 'userinfo', 'must not hold a user name or password.');
  if (url.hash !== '') return refused(path, 'fragment', 'must not have a fragment.');
  if (url.protocol === 'http:' && environment === 'live')
    return refused(path, 'https', 'must be https in the live environment.');
  if (REFUSED_PORTS.has(url.port))
    return refused(path, 'port', `must not use port ${url.port}, which websites do not use.`);
  return { ok: true, value: url.href };
}

/** Checks the addresses of a URL's host. Every refusal reads the same. If DNS is silent, the later dial decides. */
export const addressProblem = async (text: string, path: string, policy: DialPolicy): Promise<Problem | null> =>
  (await isPrivate(text, policy)) ? privateAddress(text, path) : null;

/** Whether no address of a URL's host may be dialled. */
export async function isPrivate(text: string, policy: DialPolicy): Promise<boolean> {
  const { hostname, port, protocol } = new URL(text);
  if (policy.allowed.length === 0 && isNeverPublic(hostname)) return true;
  try {
    await resolveAllForDial(hostname, Number(port || (protocol === 'https:' ? 443 : 80)), policy);
    return false;
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    return error.code !== 'dns_error';
  }
}

export const privateAddress = (text: string, path: string): Problem => ({
  path,
  code: 'private_address',
  message: `${path}: ${bareHost(new URL(text).hostname)} ${NOT_DIALLED}`,
});

/** Ports of servers that are often reachable only from inside, and may read a visitor's request as a command. */
const REFUSED_PORTS: ReadonlySet<string> = new Set(
  [
    [20, 21, 22, 23, 25, 53, 69, 110, 111, 119, 135, 137, 138, 139, 143, 161, 389, 445, 465, 512, 513, 514, 587, 636],
    [873, 993, 995, 1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4333, 5432, 5433, 5672, 5900, 5984],
    [6379, 6380, 6443, 7000, 7001, 7233, 8086, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 26257, 27017, 27018, 27019],
  ]
    .flat()
    .map(String),
);

/** Expects the host of a parsed URL, in which IPv4 addresses are always dotted. */
export const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** Refuses hosts that URL accepts but DNS does not: empty labels, wildcards, commas. */
const isDialable = (host: string): boolean => isIP(bareHost(host)) !== 0 || isDnsName(host.replace(/\.$/, ''));

const isReceiver = (host: string): boolean => host === 'localhost' || isDialable(host);

/** Whether a host can never exist in the public DNS. We do not query name servers for it. */
const isNeverPublic = (host: string): boolean =>
  isIP(bareHost(host)) === 0 &&
  (!host.includes('.') || /\.(localhost|local|internal|arpa|test|invalid|onion)\.?$/.test(host));
