import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The longest name fits into the 253 characters of RFC 1035. */
export const MOST_ADDRESSES = 4;

const DOMAIN = 'edge.invalid.';
const DIGEST_LENGTH = 32;

/**
 * Returns a name for the edge to dial: `v4-7f000001.<digest>.edge.invalid.` Caddy pools connections by name, so a
 * digest of the owner keeps two origins on one address apart. RFC 6761 reserves `invalid`.
 */
export function dialName(addresses: readonly string[], owner: string): string {
  const digest = createHash('sha256').update(owner.toLowerCase()).digest('hex').slice(0, DIGEST_LENGTH);
  return `${addresses.slice(0, MOST_ADDRESSES).map(labelOf).join('.')}.${digest}.${DOMAIN}`;
}

/** Returns the name with a mark of eight digits, for a second attempt. */
export function markedName(name: string, retry: string): string {
  const digestAt = name.length - DOMAIN.length - 1 - DIGEST_LENGTH;
  return `${name.slice(0, digestAt)}e-${retry}.${name.slice(digestAt)}`;
}

/** Returns the addresses in a name; undefined for any other name. */
export function addressesInName(name: string): string[] | undefined {
  const found = /^(?<labels>[0-9a-fv.-]+?)(?:\.e-[0-9a-f]{8})?\.[0-9a-f]{32}\.edge\.invalid\.?$/i.exec(name)?.groups?.[
    'labels'
  ];
  const labels = found?.toLowerCase().split('.') ?? [];
  const isOurs = labels.length > 0 && labels.length <= MOST_ADDRESSES && labels.every((label) => LABEL.test(label));
  return isOurs ? labels.map(addressOf) : undefined;
}

/** Returns the mark of a second attempt in a name, with or without a port; undefined for the first. */
export const retryInName = (name: string): string | undefined =>
  /\.e-([0-9a-f]{8})\.[0-9a-f]{32}\.edge\.invalid\.?(?::\d+)?$/i.exec(name)?.[1]?.toLowerCase();

const LABEL = /^(v4-[0-9a-f]{8}|v6-[0-9a-f]{32})$/;

const labelOf = (address: string): string =>
  `${isIPv6(address) ? 'v6' : 'v4'}-${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`;

const addressOf = (label: string): string =>
  ipaddr.fromByteArray([...Buffer.from(label.slice('v4-'.length), 'hex')]).toString();
