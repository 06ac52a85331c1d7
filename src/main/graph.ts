import { randomBytes } from 'node:crypto';
import { createActivities, type Activities } from '../../activities/index.ts';
import { webhookActivities, type WebhookActivities } from '../../activities/webhook.ts';
import type { ApiDeps } from '../api/deps.ts';
import { ownHosts } from '../api/own-hosts.ts';
import { openBilling } from '../billing/stripe.ts';
import type { Keyring } from '../api/signed.ts';
import { Callers } from '../db/tenant/callers.ts';
import { ConfigError, type Config } from '../config.ts';
import { createPool, tenantPool, type Pool } from '../db/pool.ts';
import { recordAttempts } from '../db/webhook/deliveries.ts';
import type { DatabaseUrls } from './database.ts';
import { slugsOf } from '../domain/observation/domain-observation.ts';
import { UNOBSERVED_ZONE } from '../domain/observation/delegation.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { systemClock } from '../providers/call.ts';
import { providerHttp } from '../providers/toolkit/http.ts';
import { tokenCache } from '../providers/toolkit/token-cache.ts';
import { sharedAllowances } from '../provisioning/request-allowances.ts';
import { sharedZoneLock } from '../provisioning/zone-lock.ts';
import { descriptors } from '../providers/registry.ts';
import { sandboxChecker } from '../sandbox/checker.ts';
import { isInSandbox, isSandboxName } from '../domain/hostname.ts';
import { sandboxObserver } from '../sandbox/observer.ts';
import { createDetection } from '../dns/detect.ts';
import { createObserver, type ObserverParts } from '../dns/observer.ts';
import { recordOffers } from '../domain-connect/record-offers.ts';
import { createTenantSemaphores, limitPerTenant } from '../dns/tenant-semaphores.ts';
import { createChecker } from '../domain/observation/checker.ts';
import { REAL_PACE } from '../domain/connection/schedule.ts';
import { openTemporal, type Temporal } from '../temporal/client.ts';
import { openVault } from '../vault/vault.ts';
import { EndpointSemaphores } from '../webhooks/endpoint-semaphores.ts';
import { together } from '../webhooks/together.ts';
import { webhookSender } from '../webhooks/send.ts';
import type { ListenerTable } from '../net/own-listeners.ts';
import { certificatesBy } from './certificates.ts';
import { dialPolicies } from './dial-policies.ts';
import { openDomainConnect, type DomainConnect } from './domain-connect.ts';
import { edgeOf, type EdgeInReach } from './edge-in-reach.ts';

/** Everything that a process needs. Opening it does not connect to anything. */
export interface Graph {
  config: Config;
  /** Logins of the worker and the API; the same if the operator configures one. */
  databaseUrl: string;
  apiDatabaseUrl: string;
  log: Logger;
  metrics: Metrics;
  own: ListenerTable;
  pool: Pool;
  temporal: Temporal;
  api: ApiDeps;
  providerAccess: ProviderAccess;
  activities: Activities;
  webhookActivities: WebhookActivities;
  close(): Promise<void>;
}

export async function openGraph(
  config: Config,
  database: DatabaseUrls,
  env: NodeJS.ProcessEnv,
  name: string,
  own: ListenerTable,
  edgeInReach: EdgeInReach | null = edgeOf(config),
): Promise<Graph> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name });
  const metrics = createMetrics();
  const pool = await createPool(database.worker, { max: config.DATABASE_POOL, name });
  const apiPool = await createPool(database.api, { max: config.DATABASE_POOL, name, serves: 'requests' });
  const callers = new Callers(database.api, {
    max: config.DATABASE_POOL,
    onError: (error) => log.warn({ err: error }, 'A database connection broke.'),
  });
  const temporal = openTemporal(env, config.TEMPORAL_TASK_QUEUE, config.TEMPORAL_CODEC_KEYS);
  const { edge } = config;
  const detection = createDetection(descriptors());
  const dial = dialPolicies(config, own);
  const domainConnect = openDomainConnect(config, dial.servers);
  const observer = createObserver(
    {
      resolvers: config.DNS_RESOLVERS,
      authoritativePort: config.DNS_AUTHORITATIVE_PORT,
      allowPrivate: config.DNS_ALLOW_PRIVATE,
    },
    { detection, ...(domainConnect === null ? {} : { discover: offersOf(domainConnect) }) },
  );
  const recordingOffers =
    domainConnect && recordOffers({ pool, offerFor: (name, signal) => observer.observeOffer(name, signal) });
  const sandboxParts = { db: pool, edge, detection };
  const sandbox = sandboxChecker(sandboxParts);
  const world = createChecker({
    observerOf: () => observer,
    providersOf: ({ nameservers, soa }) => slugsOf(detection.providerOf(nameservers, soa)),
    paceOf: () => REAL_PACE,
  });
  const certificates = certificatesBy(config, edgeInReach, pool, observer, sandboxParts);
  // A tenth of the worker's slots, so that no tenant's silent name servers take more than a fifth with those that wait.
  const limited = limitPerTenant(world, createTenantSemaphores(Math.ceil(config.WORKER_ACTIVITIES / 10)));
  const vault = openVault(needed(config.CREDENTIAL_KEYS));
  const tokens = tokenCache(systemClock);
  const providerAccessOn = (access: Pool): ProviderAccess => ({
    pool: access,
    vault,
    http: providerHttp({
      onCall: (line) => log.debug(line, 'provider call'),
      allowances: sharedAllowances(access),
      guards: dial.guards,
    }),
    zoneLock: sharedZoneLock(access),
    tokens,
    baseUrls: providerUrls(env),
    allowPrivate: config.DNS_ALLOW_PRIVATE,
    guards: dial.guards,
    recordCall: (provider, outcome) => metrics.providerCalls.inc({ provider, outcome }),
    observeZone: (hostname, signal) =>
      isSandboxName(hostname) ? Promise.resolve(UNOBSERVED_ZONE) : observer.observeZone(hostname, signal),
  });
  const sender = webhookSender(dial.receivers);
  const providerAccess = providerAccessOn(pool);
  const apiProviderAccess = providerAccessOn(apiPool);
  return {
    config,
    databaseUrl: database.worker,
    apiDatabaseUrl: database.api,
    log,
    metrics,
    own,
    pool,
    temporal,
    api: apiDeps(config, {
      pool: apiPool,
      callers,
      temporal,
      edge,
      log,
      metrics,
      originDial: dial.origins,
      receiverDial: dial.receivers,
      domainConnect: domainConnect?.identity ?? null,
      providerAccess: apiProviderAccess,
      checkerFor: (row) =>
        isInSandbox(row) ? sandboxChecker({ ...sandboxParts, db: tenantPool(apiPool, row.tenant_id) }) : world,
      checkDomain: (domain, wanted, tenantId, signal) =>
        isSandboxName(domain)
          ? sandboxObserver(
              { ...sandboxParts, db: tenantPool(apiPool, tenantId) },
              { tenantId, liveAt: null },
              Date.now(),
            ).observeDomain(domain, wanted)
          : observer.observeDomain(domain, wanted, signal),
      lookupFor: (domain, tenantId, signal) =>
        isSandboxName(domain)
          ? sandboxObserver(
              { ...sandboxParts, db: tenantPool(apiPool, tenantId) },
              { tenantId, liveAt: null },
              Date.now(),
            ).lookup()
          : observer.lookup(signal),
    }),
    providerAccess,
    activities: createActivities({
      pool,
      providerAccess,
      checkerFor: (row) => (isInSandbox(row) ? sandbox : (recordingOffers?.(limited, row) ?? limited)),
      certificatesFor: (row) => (isInSandbox(row) ? certificates.sandbox : certificates.world),
      random: Math.random,
      recordLive: (seconds) => metrics.timeToLive.observe(seconds),
      recordCheck: (purpose, verdict) => metrics.checks.inc({ purpose, verdict }),
    }),
    webhookActivities: webhookActivities({
      pool,
      vault,
      sender,
      endpointSemaphores: new EndpointSemaphores(),
      record: together((made) => recordAttempts(pool, made)),
      random: Math.random,
      recordAttempt: ({ outcome, secondsSinceEvent }) => {
        metrics.webhookAttempts.inc({ outcome });
        if (secondsSinceEvent !== null) metrics.webhookFirstAttempt.observe(secondsSinceEvent);
      },
    }),
    async close() {
      await Promise.all([observer.close(), sender.close(), domainConnect?.close()]);
      await Promise.all([providerAccess.http.close(), apiProviderAccess.http.close()]);
      await temporal.connection.close();
      await Promise.all([pool.end(), apiPool.end(), callers.end()]);
    },
  };
}

type Connected = Pick<
  ApiDeps,
  | 'pool'
  | 'callers'
  | 'temporal'
  | 'edge'
  | 'log'
  | 'metrics'
  | 'originDial'
  | 'receiverDial'
  | 'domainConnect'
  | 'providerAccess'
  | 'checkerFor'
  | 'checkDomain'
  | 'lookupFor'
>;

function apiDeps(config: Config, connected: Connected): ApiDeps {
  return {
    ...connected,
    ...(config.TEMPORAL_UI_URL === undefined ? {} : { temporalUiOrigin: new URL(config.TEMPORAL_UI_URL).origin }),
    baseUrl: config.baseUrl,
    billing: billingOf(config),
    upgradeUrl: config.UPGRADE_URL ?? `${config.baseUrl}/v1/plans`,
    ownHosts: ownHosts(config.baseUrl, config.edge),
    keys: {
      widgetTokens: config.WIDGET_TOKEN_KEYS ?? madeUp('WIDGET_TOKEN_KEYS', connected.log),
      signedState: config.CURSOR_KEY ?? madeUp('CURSOR_KEY', connected.log),
    },
    trustedProxies: config.TRUSTED_PROXIES,
    limits: {
      anonymous: config.RATE_LIMIT_ANONYMOUS,
      key: config.RATE_LIMIT_KEY,
      tenant: config.RATE_LIMIT_TENANT,
      widget: config.RATE_LIMIT_WIDGET,
      verify: config.RATE_LIMIT_VERIFY,
    },
    providers: descriptors(),
  };
}

/** Without a Stripe key nothing is sold, and everything else works. */
const billingOf = (config: Config) =>
  config.STRIPE_SECRET_KEY === undefined
    ? null
    : openBilling({
        secretKey: config.STRIPE_SECRET_KEY,
        webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? null,
        apiUrl: config.STRIPE_API_URL ?? null,
        meters: config.STRIPE_METERS,
      });

/** Creates keys for trying a single process. Production requires configured keys. */
function madeUp(setting: string, log: Logger): Keyring {
  log.warn(`${setting} is not set: what this process signs is not believed by others, nor after a restart.`);
  return [{ kid: 'made-up', secret: randomBytes(32) }];
}

const offersOf =
  ({ discover }: DomainConnect): NonNullable<ObserverParts['discover']> =>
  async (lookup, zone, signal) => {
    const found = await discover(lookup, zone, signal);
    return 'offer' in found ? found.offer : null;
  };

/** Reads PROVIDER_<SLUG>_URL, the operator's URL of a provider, for doubles and proxies. */
function providerUrls(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const slug = /^PROVIDER_(\w+)_URL$/.exec(name)?.[1]?.toLowerCase();
    if (slug !== undefined && value) urls.set(slug, value);
  }
  return urls;
}

/** `npm start` creates its own keys; separate processes must be given the same ones. */
function needed(keys: string | undefined): string {
  if (keys === undefined) throw new ConfigError('CREDENTIAL_KEYS must be set, as kid:base64 of 32 random bytes.');
  return keys;
}
