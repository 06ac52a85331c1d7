import { isIP } from 'node:net';
import { BoundedMap } from '../net/bounded-map.ts';
import { DialError, requireDialable, resolveAllForDial, type DialPolicy } from '../net/safe-dial.ts';
import { MOST_ADDRESSES } from './dial-name.ts';

export interface Origin {
  /** Checked literal addresses; the first is tried first. */
  addresses: readonly [string, ...string[]];
  port: number;
  host: string;
  /** Name that the origin's certificate must have. */
  name: string;
  scheme: 'http' | 'https';
}

export interface Upstream {
  /** host:port. */
  dial: string;
  /** host:port for a second attempt at other addresses. */
  next?: string;
  host: string;
  name: string;
  /** Caddy pools connections for all but `https`. With `-spread`, the origin has several addresses. */
  scheme: 'http' | 'https' | 'https-kept' | 'http-spread' | 'https-spread';
}

/** Names to dial: at first, and after a failure if there are other addresses. */
export interface DialNames {
  first: string;
  then?: string;
}

/** Addresses that were checked before, for times without DNS. */
export interface CheckedAddresses {
  addressesOf(originUrl: string): readonly [string, ...string[]] | undefined;
  recordAddresses(originUrl: string, addresses: readonly [string, ...string[]]): void;
}

export interface OriginDialPolicy extends DialPolicy {
  checked?: CheckedAddresses | undefined;
}

const FRESH_FOR_MS = 30_000;
/** Time in which a cached answer is used while the name is resolved again in the background. */
const GOOD_FOR_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/** Resolves origins here and not at the edge, because only here a private address can be refused. */
export function createOrigins(policy: OriginDialPolicy): (originUrl: string) => Promise<Origin> {
  const find = rememberedOrigins(policy);
  return async (originUrl) => {
    const origin = await find(originUrl);
    // Checked each time, because our own listeners may have been published since the addresses were resolved.
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

/** Returns an upstream at the first address without pooling, for an edge that cannot resolve dial names. */
export const directUpstream = (origin: Origin): Upstream => ({ ...namesOf(origin), dial: literalDial(origin) });

/** Returns an upstream with pooled connections. Caddy pools by the dialled name, so it must belong to one origin. */
export function pooledUpstream(origin: Origin, namesFor: (origin: Origin) => DialNames): Upstream {
  const { addresses, port, name, scheme } = origin;
  const isLiteral = isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0;
  const byName = !isLiteral && (scheme === 'https' || addresses.length > 1);
  const pooled = { ...namesOf(origin), scheme: scheme === 'https' ? 'https-kept' : 'http' } as const;
  if (!byName) return { ...pooled, dial: literalDial(origin) };
  const { first, then } = namesFor(origin);
  const dial = `${first}:${port}`;
  return then === undefined
    ? { ...pooled, dial }
    : { ...pooled, scheme: `${scheme}-spread`, dial, next: `${then}:${port}` };
}

const namesOf = ({ host, name, scheme }: Origin) => ({ host, name, scheme });

const literalDial = ({ addresses: [address], port }: Origin): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`;

/** Returns the addresses in a stable order, because Caddy pools by them. Old ones are used only if DNS is silent. */
async function addressesOf(
  originUrl: string,
  { hostname, port }: { hostname: string; port: number },
  { checked, ...policy }: OriginDialPolicy,
): Promise<readonly [string, ...string[]]> {
  try {
    const found = await resolveAllForDial(hostname, port, policy);
    const [first, ...others] = found.toSorted((a, b) => isIP(a) - isIP(b) || (a < b ? -1 : 1));
    const addresses = [first ?? found[0], ...others.slice(0, MOST_ADDRESSES - 1)] as const;
    checked?.recordAddresses(originUrl, addresses);
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
