import { freeDnsPort, loopbackAddresses } from './dns-port.ts';
import { startPowerDns, type PowerDns } from './powerdns.ts';
import { startRecursor } from './recursor.ts';

/** A world with a `.com` of its own: what a service that is pointed at it takes for the internet's DNS. */
export interface World {
  powerdns: PowerDns;
  /** Settings that point a service at this world. */
  env: NodeJS.ProcessEnv;
  /** A newly registered domain. */
  domain(negativeTtl?: number): Promise<string>;
  stop(): Promise<void>;
}

const NAMESERVER = 'ns1.dns-host.com';
export const EDGE_TARGET = 'edge.saas-product.com';

export async function startWorld(): Promise<World> {
  const [authority = '', resolver = ''] = loopbackAddresses(2);
  const port = await freeDnsPort([authority]);
  const powerdns = await startPowerDns(authority, port);
  await powerdns.zone('com', [NAMESERVER]);
  await powerdns.set('com', NAMESERVER, 'A', authority);
  await powerdns.zone('saas-product.com', [NAMESERVER]);
  await powerdns.set('saas-product.com', EDGE_TARGET, 'A', '192.0.2.80');
  const resolverPort = await freeDnsPort([resolver]);
  const recursor = await startRecursor(resolver, resolverPort, { forward: { com: powerdns } });
  return {
    powerdns,
    env: {
      DNS_RESOLVERS: `${resolver}:${resolverPort}`,
      DNS_AUTHORITATIVE_PORT: String(port),
      DNS_ALLOW_PRIVATE: 'true',
      EDGE: 'off',
      EDGE_CNAME_TARGET: EDGE_TARGET,
    },
    async domain(negativeTtl = 3_600) {
      const name = `customer-${crypto.randomUUID().slice(0, 8)}.com`;
      await powerdns.zone(name, [NAMESERVER], { negativeTtl });
      await powerdns.set('com', name, 'NS', `${NAMESERVER}.`);
      return name;
    },
    async stop() {
      await Promise.all([recursor.stop(), powerdns.stop()]);
    },
  };
}
