import { isLoopbackAddress } from './address.ts';
import { bareHost } from './safe-dial.ts';

/** Settings that decide who can reach the service. */
export interface Reach {
  nodeEnv: string;
  /** Certificates of the edge: from its own CA (`internal`), from a public CA (`acme`), or no edge at all. */
  edge: 'internal' | 'acme' | 'off';
  /** Addresses of the listeners, and the hosts in the service's own URLs. */
  hosts: readonly string[];
}

/** Whether development defaults apply: only this machine can reach the service, and no public CA is used. */
export const isLoopbackOnly = ({ nodeEnv, edge, hosts }: Reach): boolean =>
  nodeEnv !== 'production' && edge !== 'acme' && hosts.every(isLoopbackHost);

/** Whether a host is reached on this machine only. */
export const isLoopbackHost = (host: string): boolean =>
  /^(.+\.)?localhost$/i.test(host) || isLoopbackAddress(bareHost(host));
