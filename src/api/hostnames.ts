import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { isPublicSuffix } from '../dns/suffix.ts';
import { baseOf } from '../domain/certificate/dns-validation.ts';
import type { Environment } from '../domain/connection/connection.ts';
import { invalid, ServiceError } from '../domain/errors.ts';
import { normalizeHostname, type Hostname } from '../domain/hostname.ts';
import { canReach, type Caller } from './caller.ts';
import { isOwnHost, type OwnHosts } from './own-hosts.ts';

/** Returns the normalized hostname if it can be connected in this environment. The refusal may suggest a correction. */
export function connectableHostname(
  text: string,
  path: string,
  environment: Environment,
  own: OwnHosts,
  { wildcard = true } = {},
): Hostname {
  const refuse = (code: string, message: string, suggestion?: string) =>
    invalid([{ path, code, message, ...(suggestion === undefined ? {} : { suggestion }) }]);
  const result = normalizeHostname(text, { test: environment === 'test', wildcard });
  if (!result.ok) throw refuse(result.code, result.message, result.suggestion);
  const { hostname } = result;
  if (isPublicSuffix(baseOf(hostname)))
    throw refuse('public_suffix', `${baseOf(hostname)} is a public suffix. Connect a hostname below it.`);
  if (isOwnHost(own, hostname)) throw refuse('own_host', `${hostname} belongs to this service.`);
  return hostname;
}

/** The refusal does not give the operator's reason for the block. */
export const hostnameBlocked = (hostname: string): ServiceError =>
  new ServiceError('forbidden', `${hostname} is blocked by the operator of this service.`, {
    details: { hostname, reason: 'hostname_blocked' },
  });

/** `own` is the caller's own connection that holds the hostname. A holder of another tenant stays anonymous. */
export function hostnameConflict(
  caller: Caller,
  hostname: string,
  own: ConnectionRow | null,
  problem = `${hostname} is already connected`,
): ServiceError {
  const where = own === null ? '' : ` by a connection of yours in the ${own.environment} environment`;
  const connection_id = own !== null && canReach(caller, own) ? own.id : null;
  return new ServiceError('HostnameConflict', `${problem}${where}. ${adviceFor(own, connection_id)}`, {
    details: { hostname, same_tenant: own !== null, connection_id },
  });
}

function adviceFor(own: ConnectionRow | null, connectionId: string | null): string {
  if (connectionId !== null) return `Use connection ${connectionId}, or archive it to connect the hostname again.`;
  if (own !== null) return 'Archive it before you connect the hostname again.';
  return (
    'If you own the domain, ask the other account or the operator of this service to archive it. ' +
    'A hostname that has pointed elsewhere for seven days can be connected by anyone who proves that they own it.'
  );
}
