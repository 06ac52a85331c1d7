import { lookup, Resolver } from 'node:dns/promises';
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
  /** Name servers to ask, `ip` or `ip:port`; the system's without them. */
  nameServers?: readonly string[];
}

/** Refused before a packet was sent. */
export class DialError extends Error {
  readonly code: 'blocked_address' | 'dns_error';
  /** No name server said anything: what was known of the name before may still be so. */
  readonly isSilence: boolean;

  constructor(code: 'blocked_address' | 'dns_error', message: string, { isSilence = false } = {}) {
    super(message);
    this.name = 'DialError';
    this.code = code;
    this.isSilence = isSilence;
  }
}

/** The one address to dial for a host. */
export const resolveForDial = async (host: string, policy: DialPolicy): Promise<string> =>
  (await resolveAllForDial(host, policy))[0];

/** Every address of a host, in the order in which to try them. All must be public, not only the one that is dialled. */
export async function resolveAllForDial(host: string, policy: DialPolicy): Promise<[string, ...string[]]> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(name) ? [name] : await addressesOf(name, policy);
  const blocked = policy.allowPrivate ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (blocked !== undefined) {
    // Without the address: names of a tenant's choice must not tell it how our network is built.
    throw new DialError('blocked_address', `${name} does not lead to a public address.`);
  }
  // IPv4 first: a machine without IPv6 would otherwise fail on the first address of a host that has both.
  const [first, ...others] = addresses.toSorted((a, b) => isIP(a) - isIP(b));
  if (first === undefined) throw new DialError('dns_error', `${name} has no address.`);
  return [first, ...others];
}

/** One spelling for each address; what is no address stays as it is. */
export const canonicalAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

/** `process` reads an IPv4 address inside an IPv6 one as what it is; NAT64, 6to4 and documentation ranges are not unicast. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** A visitor waits for the request that this is a part of; the edge waits three seconds for all of it. */
const ANSWER_LIMIT_MS = 2_500;

/**
 * The system's lookup runs on the four threads that the whole process has: four names whose servers keep silent would
 * stop every other tenant's names, and our own way to the database. So names are asked for by sockets of our own. The
 * system is asked for names that only this machine or its network knows, which no tenant can make slow.
 */
async function addressesOf(name: string, { allowPrivate, nameServers }: DialPolicy): Promise<string[]> {
  if (isLocalName(name)) return askSystem(name);
  const resolver = new Resolver();
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const limit = setTimeout(() => resolver.cancel(), ANSWER_LIMIT_MS);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(limit);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const isSilent = answers.some((answer) => answer.status === 'rejected' && SILENCE.has(codeOf(answer.reason)));
  if (allowPrivate && !isSilent) return askSystem(name);
  throw unresolved(
    name,
    answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : '')),
  );
}

const isLocalName = (name: string): boolean => !name.includes('.') || /\.localhost\.?$/i.test(name);

const SILENCE = new Set(['ECANCELLED', 'ETIMEOUT']);
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

async function askSystem(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw unresolved(name, [codeOf(error)]);
  }
}

/** What a name server says of a name that does not exist or has no address. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

const unresolved = (name: string, codes: string[]): DialError =>
  new DialError('dns_error', `${name} could not be resolved to an address.`, {
    isSilence: !codes.every((code) => NO_ADDRESS.has(code)),
  });
