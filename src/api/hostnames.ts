import { isPublicSuffix } from '../dns/suffix.ts';
import type { Environment } from '../domain/connection/connection.ts';
import { invalid } from '../domain/errors.ts';
import { normalizeHostname, type Hostname } from '../domain/hostname.ts';
import { isOwnHost, type OwnHosts } from './own-hosts.ts';

/** The hostname that a caller means, if it can be connected in this environment; else why not, and what may be meant. */
export function connectableHostname(text: string, path: string, environment: Environment, own: OwnHosts): Hostname {
  const refuse = (code: string, message: string, suggestion?: string) =>
    invalid([{ path, code, message, ...(suggestion === undefined ? {} : { suggestion }) }]);
  const result = normalizeHostname(text, { test: environment === 'test' });
  if (!result.ok) throw refuse(result.code, result.message, result.suggestion);
  const { hostname } = result;
  if (isPublicSuffix(hostname))
    throw refuse('public_suffix', `${hostname} is a public suffix; connect a name below it.`);
  if (isOwnHost(own, hostname)) throw refuse('own_host', `${hostname} belongs to this service.`);
  return hostname;
}
