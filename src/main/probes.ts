import type { Config } from '../config.ts';
import type { ProbeAccess } from '../cutover/probe.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import { tlsAddressOf, type EdgeInReach } from './edge-in-reach.ts';

/** Returns the access of a cutover's probes. They resolve through DNS_RESOLVERS only, as visitors resolve through theirs. */
export function probesOf({ edge }: Config, edgeInReach: EdgeInReach | null, origins: DialPolicy): ProbeAccess {
  return {
    edge: edgeInReach && tlsAddressOf(edgeInReach),
    dial: { ...origins, asksSystem: false },
    edgeHosts: [edge.cnameTarget, ...edge.ipv4, ...edge.ipv6],
  };
}
