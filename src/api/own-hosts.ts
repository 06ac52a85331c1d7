import type { EdgeTargets } from '../domain/connection/template.ts';
import { canonicalAddress } from '../net/address.ts';

/** Where the service itself is reached. No tenant may connect these names, and no origin may lead back to them. */
export interface OwnHosts {
  /** Exactly these. */
  names: readonly string[];
  /** These and every name below them. */
  zones: readonly string[];
  /** The edge's, in their one canonical spelling. */
  addresses: readonly string[];
}

export const ownHosts = (baseUrl: string, edge: EdgeTargets): OwnHosts => ({
  names: [new URL(baseUrl).hostname],
  zones: [edge.cnameTarget.toLowerCase().replace(/\.$/, '')],
  addresses: [edge.ipv4, edge.ipv6].flatMap((address) => (address === null ? [] : [canonicalAddress(address)])),
});

export const isOwnHost = ({ names, zones, addresses }: OwnHosts, host: string): boolean =>
  names.includes(host) ||
  zones.some((zone) => host === zone || host.endsWith(`.${zone}`)) ||
  addresses.includes(canonicalAddress(host));
