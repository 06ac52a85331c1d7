import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/**
 * Dials addresses that a tenant named: DNS servers, webhook receivers, origins. The address that is checked is the
 * address that is dialled, so a name that answers differently the second time (DNS rebinding) gains nothing. A check in
 * a `lookup` hook would not do: literals such as `[::ffff:127.0.0.1]` never pass through one.
 */
export function guardedConnector(
  policy: DialPolicy,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const dial = buildConnector(options);
  return (target, callback) => {
    // The caller of a connector expects its answer later, never during the call; `host` stays, for SNI and Host.
    resolveForDial(target.hostname, policy).then(
      (address) => dial({ ...target, hostname: address }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

export interface DialPolicy {
  /** Private, loopback, link-local and other special addresses may be dialled: for laboratories. */
  allowPrivate: boolean;
}

/** Refused before a packet was sent. */
export class DialError extends Error {
  readonly code: 'blocked_address' | 'dns_error';

  constructor(code: 'blocked_address' | 'dns_error', message: string) {
    super(message);
    this.name = 'DialError';
    this.code = code;
  }
}

/** The one address to dial for a host. Every address of the name must be public, not only the one we would take. */
export async function resolveForDial(host: string, { allowPrivate }: DialPolicy): Promise<string> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(name) ? [name] : await addressesOf(name);
  const blocked = allowPrivate ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (blocked !== undefined) {
    throw new DialError('blocked_address', `${name} leads to ${blocked}, which is not a public address.`);
  }
  // IPv4 first: a machine without IPv6 would otherwise fail on the first address of a host that has both.
  const [first] = addresses.toSorted((a, b) => isIP(a) - isIP(b));
  if (first === undefined) throw new DialError('dns_error', `${name} has no address.`);
  return first;
}

/** `process` reads an IPv4 address inside an IPv6 one as what it is; NAT64, 6to4 and documentation ranges are not unicast. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    throw new DialError('dns_error', `${name} could not be resolved to an address.`);
  }
}
