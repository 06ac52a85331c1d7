import { freeDnsPort, loopbackAddresses } from './dns-port.ts';
import { startPowerDns, type PowerDns } from './powerdns.ts';
import { startRecursor, type Recursor } from './recursor.ts';

/** A world with a signed `.com` of its own: what a service that is pointed at it takes for the internet's DNS. */
export interface World {
  powerdns: PowerDns;
  recursor: Recursor;
  /** Settings that point a service at this world. */
  env: NodeJS.ProcessEnv;
  /** A newly registered domain. */
  domain(options?: { negativeTtl?: number; signed?: boolean }): Promise<string>;
  /** What the registrar publishes for a domain's keys; nothing at all makes it unsigned. Resolvers hear of it at once. */
  setDs(domain: string, ...ds: string[]): Promise<void>;
  stop(): Promise<void>;
}

const topOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const NAMESERVER = 'ns1.dns-host.com';
export const EDGE_TARGET = 'edge.saas-product.com';

/** A domain under `.com` that another server of this machine answers for, at the port of all authoritative servers. */
export interface HostedDomain {
  name: string;
  nameservers: readonly string[];
  address: string;
}

export async function startWorld(hosted: readonly HostedDomain[] = []): Promise<World> {
  const [authority = '', resolver = ''] = loopbackAddresses(2);
  const port = await freeDnsPort([authority, ...hosted.map(({ address }) => address)]);
  const powerdns = await startPowerDns(authority, port);
  await powerdns.zone('com', [NAMESERVER], { signed: true });
  await powerdns.set('com', NAMESERVER, 'A', authority);
  await register('saas-product.com');
  await powerdns.set('saas-product.com', EDGE_TARGET, 'A', '127.0.0.1');
  const tops = new Set(hosted.flatMap(({ nameservers }) => nameservers.map(topOf)).filter((top) => top !== 'com'));
  for (const top of tops) await powerdns.zone(top, [NAMESERVER]);
  for (const { name, nameservers, address } of hosted) {
    await powerdns.set('com', name, 'NS', ...nameservers.map((server) => `${server}.`));
    for (const server of nameservers) await powerdns.set(topOf(server), server, 'A', address);
  }
  const recursor = await startRecursor(resolver, await freeDnsPort([resolver]), {
    forward: {
      com: powerdns,
      ...Object.fromEntries([...tops].map((top) => [top, powerdns])),
      ...Object.fromEntries(hosted.map(({ name, address }) => [name, { address, port }])),
    },
    anchors: { com: (await powerdns.ds('com'))[0] ?? '' },
  });

  async function register(name: string, options: { negativeTtl?: number; signed?: boolean } = {}): Promise<void> {
    await powerdns.zone(name, [NAMESERVER], options);
    await powerdns.set('com', name, 'NS', `${NAMESERVER}.`);
    if (options.signed) await powerdns.set('com', name, 'DS', ...(await powerdns.ds(name)));
  }

  return {
    powerdns,
    recursor,
    env: {
      DNS_RESOLVERS: `${recursor.address}:${recursor.port}`,
      DNS_AUTHORITATIVE_PORT: String(port),
      DNS_ALLOW_PRIVATE: 'true',
      EDGE: 'off',
      EDGE_CNAME_TARGET: EDGE_TARGET,
    },
    async domain(options = {}) {
      const name = `customer-${crypto.randomUUID().slice(0, 8)}.com`;
      await register(name, { negativeTtl: 3_600, ...options });
      return name;
    },
    async setDs(domain, ...ds) {
      await powerdns.set('com', domain, 'DS', ...ds);
      await recursor.forget(domain);
    },
    async stop() {
      await Promise.all([recursor.stop(), powerdns.stop()]);
    },
  };
}
