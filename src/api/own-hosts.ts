import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { wildcardAbove } from '../domain/hostname.ts';
import { canonicalAddress } from '../net/address.ts';

/** Hosts of the service itself. Tenants must not connect them, and origins must not point to them. */
export interface OwnHosts {
  /** Exact hostnames. */
  names: readonly string[];
  /** Hostnames that include every name below them. */
  zones: readonly string[];
  /** Addresses of the edge, in canonical form. */
  addresses: readonly string[];
}

export const ownHosts = (baseUrl: string, edge: EdgeTargets): OwnHosts => ({
  names: [new URL(baseUrl).hostname],
  zones: [edge.cnameTarget.toLowerCase().replace(/\.$/, '')],
  addresses: [...edge.ipv4, ...edge.ipv6].map(canonicalAddress),
});

export const isOwnHost = ({ names, zones, addresses }: OwnHosts, host: string): boolean =>
  names.includes(host) ||
  zones.some((zone) => host === zone || host.endsWith(`.${zone}`)) ||
  [...names, ...zones].some((own) => host === wildcardAbove(own)) ||
  addresses.includes(canonicalAddress(host));
