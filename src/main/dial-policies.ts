import { ownHosts } from '../api/own-hosts.ts';
import type { Config } from '../config.ts';
import { canonicalAddress, EVERY_NETWORK, isLoopbackAddress, NO_NETWORKS } from '../net/address.ts';
import type { DialGuards, DialPolicy, OwnListeners } from '../net/safe-dial.ts';

/** Policies for connecting to hosts that tenants name. */
export interface DialPolicies {
  guards: DialGuards;
  origins: DialPolicy;
  receivers: DialPolicy;
  /** For DNS servers and hosts that `_domainconnect` names. */
  servers: DialPolicy;
}

export function dialPolicies(config: Config, own: OwnListeners): DialPolicies {
  const guards = { own, nameServers: config.DNS_RESOLVERS, asksSystem: config.isDevelopment };
  return {
    guards,
    origins: { ...guards, own: withEdge(config, own), allowed: config.ORIGIN_ALLOW_PRIVATE },
    receivers: { ...guards, allowed: config.WEBHOOK_ALLOW_PRIVATE },
    servers: { ...guards, allowed: config.DNS_ALLOW_PRIVATE ? EVERY_NETWORK : NO_NETWORKS },
  };
}

/** Refuses origins at an address of the edge, at any port, because their requests would loop. */
function withEdge(config: Config, own: OwnListeners): OwnListeners {
  // On one machine, edge and origins share the loopback address and have different ports.
  const edge = ownHosts(config.baseUrl, config.edge).addresses.filter((address) => !isLoopbackAddress(address));
  return { isOwn: (address, port) => edge.includes(canonicalAddress(address)) || own.isOwn(address, port) };
}
