import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isAllowedAddress, type Networks } from './address.ts';

/**
 * Dials hosts that tenants choose. The checked address is the dialled one, so DNS rebinding gains nothing. A check in a
 * `lookup` hook is not enough, because literals such as `[::ffff:127.0.0.1]` bypass it.
 */
export function guardedConnector(
  policy: DialPolicy,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const dial = buildConnector(options);
  return (target, callback) => {
    const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
    // A connector must answer asynchronously. `host` stays unchanged for SNI and the Host header.
    resolveForDial(target.hostname, port, policy).then(
      (address) => dial({ ...target, hostname: address }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

export interface OwnListeners {
  isOwn(address: string, port: number): boolean;
}

/** Rules for resolving and dialling hosts that tenants choose. */
export interface DialGuards {
  /** This service's own listeners, which are refused in every network. */
  own?: OwnListeners;
  /** Name servers to use, as `ip` or `ip:port`; by default the system's. */
  nameServers?: readonly string[];
  /** Whether the system's hosts file is consulted for hostnames that DNS does not have; for developers' machines. */
  asksSystem?: boolean;
}

export interface DialPolicy extends DialGuards {
  /** Networks that may be dialled although they are not public. */
  allowed: Networks;
}

/** A refusal before any packet was sent. Nonexistent and refused hostnames read the same, to hide our network. */
export class DialError extends Error {
  /** `dns_error` if no name server answered, so earlier knowledge about the hostname may still be right. */
  readonly code: 'blocked_address' | 'dns_error';

  constructor(host: string, { isSilence = false } = {}) {
    super(`${host} ${NOT_DIALLED}`);
    this.name = 'DialError';
    this.code = isSilence ? 'dns_error' : 'blocked_address';
  }
}

/** The end of the error message. */
export const NOT_DIALLED =
  'has no address that we can connect to. Use a hostname or an address that is public and not one of this service.';

export const resolveForDial = async (host: string, port: number, policy: DialPolicy): Promise<string> =>
  (await resolveAllForDial(host, port, policy))[0];

/** Returns every address of a host, in dialling order. All of them must be allowed, not only the first. */
export async function resolveAllForDial(
  host: string,
  port: number,
  policy: DialPolicy,
): Promise<[string, ...string[]]> {
  const name = bareHost(host);
  const addresses = isIP(name) ? [name] : await addressesOf(name, policy);
  requireDialable(host, addresses, port, policy);
  // IPv4 first: a machine without IPv6 would otherwise fail on a host that has both.
  const [first, ...others] = addresses.toSorted((a, b) => isIP(a) - isIP(b));
  if (first === undefined) throw new DialError(name);
  return [first, ...others];
}

/** Throws unless every address of a host may be dialled at the port. */
export function requireDialable(host: string, addresses: readonly string[], port: number, policy: DialPolicy): void {
  if (!addresses.every((address) => isDialable(address, port, policy))) throw new DialError(bareHost(host));
}

/** Applies to literals, DNS answers and dialled addresses alike. */
const isDialable = (address: string, port: number, { allowed, own }: DialPolicy): boolean =>
  isAllowedAddress(address, allowed) && own?.isOwn(address, port) !== true;

/** Returns the host of a URL without the brackets of an IPv6 address. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** A visitor waits for this lookup, and the edge waits three seconds for the whole request. */
const ANSWER_LIMIT_MS = 2_500;

/** Resolves a hostname with our own sockets: the system's lookup has four threads, which silent servers could block. */
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

/** Whether the name is `localhost` or below it, which RFC 6761 reserves for this machine. */
const isLocalhost = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name);
const LOCALHOST = ['127.0.0.1', '::1'];

/** Answers for a name that does not exist or has no address. */
const DENIALS = new Set(['ENOTFOUND', 'ENODATA']);
/** Failures after which the system's lookup would wait for the same servers, on the few threads of the process. */
const TOO_LATE = new Set(['ECANCELLED', 'ETIMEOUT']);
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

const askSystem = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true }).catch(() => [])).map(({ address }) => address);
