import { canonicalAddress, DialError, resolveForDial, type DialPolicy } from '../net/safe-dial.ts';

/** Where the edge connects, and by what name the origin is addressed once it has. */
export interface Origin {
  /** A checked literal address with its port: what the edge dials is what was checked. */
  dial: string;
  /** For the Host header. */
  host: string;
  /** For the TLS handshake: the name that the origin's certificate must carry. */
  name: string;
  scheme: 'http' | 'https';
}

/** Addresses that were checked before, for the time in which an origin's name cannot be asked about. */
export interface CheckedAddresses {
  addressOf(originUrl: string): string | undefined;
  noteAddress(originUrl: string, address: string): void;
}

export interface OriginDialPolicy extends DialPolicy {
  checked?: CheckedAddresses | undefined;
  /** The edge's, canonical; an origin there would lead every request round and round. */
  ownAddresses: readonly string[];
}

const FRESH_FOR_MS = 30_000;
const MOST_REMEMBERED = 10_000;

/**
 * Turns origin addresses into what can be dialled. The name is resolved here and not at the edge, because only here it
 * can be refused for leading to a private address; the answer is remembered for half a minute.
 */
export function createOrigins(policy: OriginDialPolicy): (originUrl: string) => Promise<Origin> {
  const remembered = new Map<string, { origin: Promise<Origin>; until: number }>();
  return (originUrl) => {
    const known = remembered.get(originUrl);
    if (known !== undefined && performance.now() < known.until) return known.origin;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const origin = resolveOrigin(originUrl, policy);
    remembered.set(originUrl, { origin, until: performance.now() + FRESH_FOR_MS });
    origin.catch(() => remembered.delete(originUrl));
    return origin;
  };
}

/** Only silence is bridged by the address of before: one that is not allowed any more is refused. */
async function addressOf(
  originUrl: string,
  hostname: string,
  { checked, ...policy }: OriginDialPolicy,
): Promise<string> {
  try {
    const address = await resolveForDial(hostname, policy);
    checked?.noteAddress(originUrl, address);
    return address;
  } catch (error) {
    const before = error instanceof DialError && error.code === 'dns_error' ? checked?.addressOf(originUrl) : undefined;
    if (before === undefined) throw error;
    return before;
  }
}

async function resolveOrigin(originUrl: string, policy: OriginDialPolicy): Promise<Origin> {
  const { protocol, hostname, port, host } = new URL(originUrl);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const address = await addressOf(originUrl, hostname, policy);
  if (policy.ownAddresses.includes(canonicalAddress(address)))
    throw new DialError('blocked_address', `${hostname} leads back to the edge.`);
  const literal = address.includes(':') ? `[${address}]` : address;
  return { dial: `${literal}:${port || (scheme === 'https' ? 443 : 80)}`, host, name: hostname, scheme };
}
