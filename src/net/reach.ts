import { isLoopbackAddress } from './address.ts';
import { bareHost } from './safe-dial.ts';

/** How a service can be reached, as its settings say. */
export interface Reach {
  nodeEnv: string;
  edge: 'internal' | 'acme' | 'off';
  /** Addresses that listeners are bound to, and hosts under which the service is announced. */
  hosts: readonly string[];
}

/**
 * Decides whether development defaults hold. Guards follow what is reachable: a service that another machine reaches, or
 * whose edge has certificates of a public certificate authority, has the guards of production whatever NODE_ENV says. A
 * host that is no loopback address counts as reachable, because its name may come to mean another address.
 */
export const isReachedFromHereOnly = ({ nodeEnv, edge, hosts }: Reach): boolean =>
  nodeEnv !== 'production' && edge !== 'acme' && hosts.every(isLoopbackHost);

const isLoopbackHost = (host: string): boolean => /^(.+\.)?localhost$/i.test(host) || isLoopbackAddress(bareHost(host));
