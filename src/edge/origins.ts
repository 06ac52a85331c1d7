import { isIP } from 'node:net';
import { BoundedMap } from '../net/bounded-map.ts';
import { DialError, requireDialable, resolveAllForDial, type DialPolicy } from '../net/safe-dial.ts';
import { dialName, MOST_ADDRESSES } from './dial-name.ts';

/** Where an origin is, and by what name it is addressed once it is reached. */
export interface Origin {
  /** Literal and checked; what is dialled is what was checked. The first is tried first. */
  addresses: readonly [string, ...string[]];
  port: number;
  /** For the Host header. */
  host: string;
  /** For the TLS handshake: the name that the origin's certificate must carry. */
  name: string;
  scheme: 'http' | 'https';
}

/** What the edge is told of an origin. */
export interface Upstream {
  /** host:port. */
  dial: string;
  host: string;
  name: string;
  /** The edge keeps connections alive for `http` and `https-kept`. */
  scheme: 'http' | 'https' | 'https-kept';
}

/** Addresses that were checked before, for the time in which an origin's name cannot be asked about. */
export interface CheckedAddresses {
  addressesOf(originUrl: string): readonly [string, ...string[]] | undefined;
  noteAddresses(originUrl: string, addresses: readonly [string, ...string[]]): void;
}

export interface OriginDialPolicy extends DialPolicy {
  checked?: CheckedAddresses | undefined;
}

const FRESH_FOR_MS = 30_000;
/** For so long the answer of before is given while the name is asked about again: no visitor waits for that. */
const GOOD_FOR_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Finds the addresses of origins. A name is resolved here and not at the edge, because only here it can be refused for
 * leading to a private address; the answer is remembered.
 */
export function createOrigins(policy: OriginDialPolicy): (originUrl: string) => Promise<Origin> {
  const find = rememberedOrigins(policy);
  return async (originUrl) => {
    const origin = await find(originUrl);
    // Each time: listeners of ours may have been published since the addresses were resolved.
    requireDialable(origin.name, origin.addresses, origin.port, policy);
    return origin;
  };
}

function rememberedOrigins(policy: OriginDialPolicy): (originUrl: string) => Promise<Origin> {
  const remembered = new BoundedMap<string, { origin: Promise<Origin>; since: number; isAskedAgain: boolean }>(
    MOST_REMEMBERED,
  );
  const remember = (originUrl: string, origin: Promise<Origin>): void => {
    remembered.set(originUrl, { origin, since: performance.now(), isAskedAgain: false });
  };
  const ask = (originUrl: string): Promise<Origin> => {
    const origin = resolveOrigin(originUrl, policy);
    origin.catch(() => remembered.delete(originUrl));
    return origin;
  };
  return (originUrl) => {
    const known = remembered.get(originUrl);
    const age = performance.now() - (known?.since ?? -Infinity);
    if (known === undefined || age >= GOOD_FOR_MS) {
      const origin = ask(originUrl);
      remember(originUrl, origin);
      return origin;
    }
    if (age >= FRESH_FOR_MS && !known.isAskedAgain) {
      known.isAskedAgain = true;
      const origin = ask(originUrl);
      void origin.then(
        () => remember(originUrl, origin),
        () => undefined,
      );
    }
    return known.origin;
  };
}

/** A connection of its own to the first address, for an edge that cannot ask for the names that we make. */
export const directUpstream = (origin: Origin): Upstream => ({ ...namesOf(origin), dial: literalDial(origin) });

/**
 * A way by which connections may be kept alive. The edge pools them by what it dials: a literal address stands for
 * itself in the certificate too, and for all others with TLS the edge dials a name that belongs to one origin's name.
 */
export function pooledUpstream(origin: Origin): Upstream {
  const { addresses, port, name, scheme } = origin;
  const isLiteral = isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0;
  const byName = !isLiteral && (scheme === 'https' || addresses.length > 1);
  return {
    ...namesOf(origin),
    dial: byName ? `${dialName(addresses, name)}:${port}` : literalDial(origin),
    scheme: scheme === 'https' ? 'https-kept' : 'http',
  };
}

const namesOf = ({ host, name, scheme }: Origin) => ({ host, name, scheme });

const literalDial = ({ addresses: [address], port }: Origin): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`;

/**
 * In an order that does not change from one answer to the next, because it is a part of what the edge pools connections
 * by. Only silence is bridged by the addresses of before: one that is not allowed any more is refused.
 */
async function addressesOf(
  originUrl: string,
  { hostname, port }: { hostname: string; port: number },
  { checked, ...policy }: OriginDialPolicy,
): Promise<readonly [string, ...string[]]> {
  try {
    const found = await resolveAllForDial(hostname, port, policy);
    const [first, ...others] = found.toSorted((a, b) => isIP(a) - isIP(b) || (a < b ? -1 : 1));
    const addresses = [first ?? found[0], ...others.slice(0, MOST_ADDRESSES - 1)] as const;
    checked?.noteAddresses(originUrl, addresses);
    return addresses;
  } catch (error) {
    const isSilence = error instanceof DialError && error.code === 'dns_error';
    const before = isSilence ? checked?.addressesOf(originUrl) : undefined;
    if (before === undefined) throw error;
    return before;
  }
}

async function resolveOrigin(originUrl: string, policy: OriginDialPolicy): Promise<Origin> {
  const { protocol, hostname, port: given, host } = new URL(originUrl);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const port = Number(given || (scheme === 'https' ? 443 : 80));
  const addresses = await addressesOf(originUrl, { hostname, port }, policy);
  return { addresses, port, host, name: hostname, scheme };
}
