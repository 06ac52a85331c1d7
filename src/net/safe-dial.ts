import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isAllowedAddress, type Networks } from './address.ts';

/**
 * Dials hosts that a tenant named: DNS servers, webhook receivers, origins. The address that is checked is the address
 * that is dialled, so a name that answers differently the second time (DNS rebinding) gains nothing. A check in a
 * `lookup` hook would not do: literals such as `[::ffff:127.0.0.1]` never pass through one.
 */
export function guardedConnector(
  policy: DialPolicy,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const dial = buildConnector(options);
  return (target, callback) => {
    const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
    // The caller of a connector expects its answer later, never during the call; `host` stays, for SNI and Host.
    resolveForDial(target.hostname, port, policy).then(
      (address) => dial({ ...target, hostname: address }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Knows the listeners of this service. */
export interface OwnListeners {
  isOwn(address: string, port: number): boolean;
}

/** How hosts of tenants are resolved, and where they must never lead. */
export interface DialGuards {
  /** This service's own listeners are refused whatever networks are allowed. */
  own?: OwnListeners;
  /** Name servers to ask, `ip` or `ip:port`; the system's without them. */
  nameServers?: readonly string[];
  /** Whether hostnames that DNS does not have are looked up by the system, in its hosts file: on developers' machines. */
  asksSystem?: boolean;
}

export interface DialPolicy extends DialGuards {
  /** Networks that may be dialled although they are not public. */
  allowed: Networks;
}

/**
 * Refused before a packet was sent. A hostname that does not exist and one whose addresses are refused get the same code
 * and the same sentence: a tenant could otherwise ask which hostnames our network has.
 */
export class DialError extends Error {
  /** `dns_error` if no name server answered: what was known of the hostname before may still be so. */
  readonly code: 'blocked_address' | 'dns_error';

  constructor(host: string, { isSilence = false } = {}) {
    super(`${host} ${NOT_DIALLED}`);
    this.name = 'DialError';
    this.code = isSilence ? 'dns_error' : 'blocked_address';
  }
}

/** The end of the one sentence. */
export const NOT_DIALLED =
  'has no address that we can connect to. Use a hostname or an address that is public and not one of this service.';

/** Returns the one address to dial for a host. */
export const resolveForDial = async (host: string, port: number, policy: DialPolicy): Promise<string> =>
  (await resolveAllForDial(host, port, policy))[0];

/** Returns every address of a host, in the order in which to try them. All must be allowed, not only the one dialled. */
export async function resolveAllForDial(
  host: string,
  port: number,
  policy: DialPolicy,
): Promise<[string, ...string[]]> {
  const name = bareHost(host);
  const addresses = isIP(name) ? [name] : await addressesOf(name, policy);
  requireDialable(host, addresses, port, policy);
  // IPv4 first: a machine without IPv6 would otherwise fail on the first address of a host that has both.
  const [first, ...others] = addresses.toSorted((a, b) => isIP(a) - isIP(b));
  if (first === undefined) throw new DialError(name);
  return [first, ...others];
}

/** Throws unless each of a host's addresses may be dialled at the port. */
export function requireDialable(host: string, addresses: readonly string[], port: number, policy: DialPolicy): void {
  if (!addresses.every((address) => isDialable(address, port, policy))) throw new DialError(bareHost(host));
}

/** Judges literals, answers of DNS and dialled addresses alike. */
const isDialable = (address: string, port: number, { allowed, own }: DialPolicy): boolean =>
  isAllowedAddress(address, allowed) && own?.isOwn(address, port) !== true;

/** A host as it is in a URL, without the brackets of IPv6. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** A visitor waits for the request that this is a part of; the edge waits three seconds for all of it. */
const ANSWER_LIMIT_MS = 2_500;

/**
 * The system's lookup runs on the four threads that the whole process has: four names whose servers keep silent would
 * stop every other tenant's names, and our own way to the database. So names are asked for by sockets of our own.
 */
async function addressesOf(name: string, { nameServers, asksSystem = false }: DialGuards): Promise<string[]> {
  if (isLocalhost(name)) return LOCALHOST;
  const resolver = new Resolver();
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const limit = setTimeout(() => resolver.cancel(), ANSWER_LIMIT_MS);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(limit);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'));
  const found = asksSystem && !codes.some((code) => TOO_LATE.has(code)) ? await askSystem(name) : [];
  if (found.length === 0) throw new DialError(name, { isSilence: !codes.every((code) => DENIALS.has(code)) });
  return found;
}

/** RFC 6761 keeps `localhost` and every name below it on this machine, so no server is asked. */
const isLocalhost = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name);
const LOCALHOST = ['127.0.0.1', '::1'];

/** A name server's answer for a name that does not exist or has no address. */
const DENIALS = new Set(['ENOTFOUND', 'ENODATA']);
/** The system would wait for the same servers, on the process's few threads. */
const TOO_LATE = new Set(['ECANCELLED', 'ETIMEOUT']);
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

const askSystem = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true }).catch(() => [])).map(({ address }) => address);
