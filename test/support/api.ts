import { randomBytes } from 'node:crypto';
import type { ApiDeps } from '../../src/api/deps.ts';
import { ownHosts } from '../../src/api/own-hosts.ts';
import type { Route } from '../../src/api/route.ts';
import { startApi } from '../../src/api/server.ts';
import { createClient, type ServiceClient } from '../../client/index.ts';
import { Callers } from '../../src/db/tenant/callers.ts';
import { createPool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { createObserver } from '../../src/dns/observer.ts';
import { createChecker } from '../../src/domain/observation/checker.ts';
import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { createTestDatabase } from './database.ts';
import { testProviderAccess } from './provider-access.ts';

export interface TestApi {
  baseUrl: string;
  internalUrl: string;
  databaseUrl: string;
  deps: ApiDeps;
  /** A tenant of its own, with all-scope keys. */
  tenant(): Promise<NewTenant>;
  client(credential: string): ServiceClient;
  stop(): Promise<void>;
}

/** The real API over real HTTP and a real Postgres. There is no Temporal: nothing that is tested here waits for it. */
export async function startTestApi(
  changes: Partial<ApiDeps> & { ownInternalPort?: boolean; databaseUrl?: string; routes?: readonly Route[] } = {},
): Promise<TestApi> {
  const { ownInternalPort = false, databaseUrl, routes, ...replaced } = changes;
  const database =
    databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, drop: () => Promise.resolve() };
  const port = await freePort();
  const internalPort = ownInternalPort ? await freePort() : undefined;
  const baseUrl = `http://127.0.0.1:${port}`;
  const log = createLog({ level: 'silent', format: 'json', name: 'test' });
  const pool = await createPool(database.url, { max: 10, name: 'test', serves: 'requests' });
  const callers = new Callers(database.url, { max: 10, onError: () => undefined });
  const temporal = openTemporal({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'test');
  // Nobody listens there: every look ends at once, as unknown.
  const observer = createObserver({ resolvers: ['127.0.0.1:9'], allowPrivate: true });
  const deps: ApiDeps = {
    pool,
    callers,
    temporal,
    edge: { cnameTarget: 'edge.service.dev', ipv4: '192.0.2.10', ipv6: null },
    baseUrl,
    ownHosts: ownHosts('https://api.service.dev', {
      cnameTarget: 'edge.service.dev',
      ipv4: '192.0.2.10',
      ipv6: '2001:db8::10',
    }),
    billing: null,
    upgradeUrl: `${baseUrl}/v1/plans`,
    originDial: { allowed: [], nameServers: ['127.0.0.1:9'] },
    receiverDial: { allowed: [], nameServers: ['127.0.0.1:9'] },
    keys: { widgetTokens: [testKey('w1')], cursors: [testKey('c1')] },
    trustedProxies: [],
    limits: { anonymous: null, key: null, tenant: null, widget: null, verify: null },
    providers: [],
    domainConnect: null,
    providerAccess: testProviderAccess(pool),
    checkerFor: () =>
      createChecker({ observerOf: () => observer, providersOf: () => ['unknown'], paceOf: () => REAL_PACE }),
    checkDomain: (domain, wanted, _tenantId, signal) => observer.observeDomain(domain, wanted, signal),
    lookupFor: (_domain, _tenantId, signal) => observer.lookup(signal),
    log,
    metrics: createMetrics(),
    ...replaced,
  };
  const api = await startApi(deps, '127.0.0.1', { port, internalPort, ...(routes ? { routes } : {}) });
  return {
    baseUrl,
    internalUrl: `http://127.0.0.1:${api.internalPort}`,
    databaseUrl: database.url,
    deps,
    tenant: () => createTenant(pool, 'Test'),
    client: (credential) => createClient({ baseUrl, credential }),
    async stop() {
      await api.stop();
      await observer.close();
      await deps.providerAccess.http.close();
      await Promise.all([pool.end(), callers.end(), temporal.connection.close()]);
      await database.drop();
    },
  };
}

export const testKey = (kid: string) => ({ kid, secret: randomBytes(32) });

/** A hostname nobody used before: claims are global. */
export const someName = (below = 'shop-site.com'): string => `n${randomBytes(5).toString('hex')}.${below}`;

/** The body of an answer that must have been a success. */
export function expectData<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(`The request was refused: ${JSON.stringify(error)}`);
  return data;
}
