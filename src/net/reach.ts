import { isLoopbackAddress } from './address.ts';
import { bareHost } from './safe-dial.ts';

export interface Reach {
  nodeEnv: string;
  edge: 'internal' | 'acme' | 'off';
  /** Addresses of the listeners, and hosts under which the service is announced. */
  hosts: readonly string[];
}

/** Whether development defaults apply: only this machine can reach the service, and no public CA is used. */
export const isLoopbackOnly = ({ nodeEnv, edge, hosts }: Reach): boolean =>
  nodeEnv !== 'production' && edge !== 'acme' && hosts.every(isLoopbackHost);

const isLoopbackHost = (host: string): boolean => /^(.+\.)?localhost$/i.test(host) || isLoopbackAddress(bareHost(host));
