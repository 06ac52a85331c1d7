import { isIP } from 'node:net';
import type { Environment } from '../domain/connection.ts';
import type { Problem } from '../domain/errors.ts';
import { isDnsName } from '../domain/hostname.ts';
import { isPublicAddress } from '../net/safe-dial.ts';
import { isOwnHost, type OwnHosts } from './own-hosts.ts';

type Checked<T> = { ok: true; value: T } | { ok: false; problem: Problem };

const refused = (path: string, code: string, message: string, suggestion?: string): Checked<never> => ({
  ok: false,
  problem: { path, code, message: `${path}: ${message}`, ...(suggestion === undefined ? {} : { suggestion }) },
});

/** An origin as browsers send it: scheme, host and port, nothing else. Plain http only for a developer's own machine. */
export function checkOrigin(text: string, path: string, environment: Environment): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return refused(path, 'origin', 'must be an origin, such as https://app.example.com.');
  if (text.toLowerCase() !== url.origin)
    return refused(path, 'origin', 'must be scheme, host and port only.', url.origin);
  if (url.protocol === 'http:' && !(environment === 'test' && isLoopback(url.hostname)))
    return refused(path, 'https', 'must be https; in the test environment http://localhost is allowed too.');
  return { ok: true, value: url.origin };
}

export interface OriginPolicy {
  allowPrivate: boolean;
  own: OwnHosts;
  baseUrl: string;
}

/** Where the edge sends visitors: a host and a port that are not ours and, unless allowed, not inside anybody's network. */
export function checkOriginUrl(text: string, path: string, policy: OriginPolicy): Checked<string> {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.port === '0' || !isDialable(url.hostname))
    return refused(path, 'url', 'must be an http or https address, such as https://app.example.com.');
  if (url.username !== '' || url.password !== '')
    return refused(path, 'userinfo', 'must not hold a user name or password.');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]$/.test(text))
    return refused(path, 'path', 'must be scheme, host and port only.', url.origin);
  const isOurs = isOwnHost(policy.own, url.hostname) && !isLoopback(url.hostname);
  if (isOurs || url.origin === new URL(policy.baseUrl).origin)
    return refused(path, 'own_host', 'must not lead back to this service.');
  if (!policy.allowPrivate && !isPublicHost(url.hostname))
    return refused(path, 'private_address', 'must be a public address.');
  return { ok: true, value: url.origin };
}

/** URL hosts are canonical: every spelling of an IPv4 address has become the dotted one. */
const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** URL lets names pass that no DNS has: empty labels, wildcards, commas. */
const isDialable = (host: string): boolean => isIP(bare(host)) !== 0 || isDnsName(host.replace(/\.$/, ''));

/** Names are judged again where they are dialled, by the addresses they then have. */
const isPublicHost = (host: string): boolean =>
  isIP(bare(host)) === 0
    ? host.includes('.') && !/\.(localhost|local|internal|arpa|test|invalid|onion)\.?$/.test(host)
    : isPublicAddress(bare(host));
