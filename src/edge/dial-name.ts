import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The longest name fits into the 253 characters of RFC 1035. */
export const MOST_ADDRESSES = 4;

/**
 * Returns a name for the edge to dial: `v4-7f000001.<digest>.edge.invalid.` Caddy pools connections by name, so a
 * digest of the origin's hostname keeps two origins on one address apart. RFC 6761 reserves `invalid`.
 */
export function dialName(addresses: readonly string[], originName: string): string {
  const digest = createHash('sha256').update(originName.toLowerCase()).digest('hex').slice(0, 32);
  return `${addresses.slice(0, MOST_ADDRESSES).map(labelOf).join('.')}.${digest}.edge.invalid.`;
}

/** Returns the addresses in a name; undefined for any other name. */
export function addressesInName(name: string): string[] | undefined {
  const found = /^(?<labels>[0-9a-fv.-]+)\.[0-9a-f]{32}\.edge\.invalid\.?$/i.exec(name)?.groups?.['labels'];
  const labels = found?.toLowerCase().split('.') ?? [];
  const isOurs = labels.length > 0 && labels.length <= MOST_ADDRESSES && labels.every((label) => LABEL.test(label));
  return isOurs ? labels.map(addressOf) : undefined;
}

const LABEL = /^(v4-[0-9a-f]{8}|v6-[0-9a-f]{32})$/;

const labelOf = (address: string): string =>
  `${isIPv6(address) ? 'v6' : 'v4'}-${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`;

const addressOf = (label: string): string =>
  ipaddr.fromByteArray([...Buffer.from(label.slice('v4-'.length), 'hex')]).toString();
