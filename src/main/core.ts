import { ConfigError, type Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import { createDetection } from '../dns/detect.ts';
import { createObserver, type ObserverParts } from '../dns/observer.ts';
import { REAL_PACE } from '../domain/connection/schedule.ts';
import { isSandboxName } from '../domain/hostname.ts';
import type { Checker } from '../domain/observation/check.ts';
import { createChecker } from '../domain/observation/checker.ts';
import { UNOBSERVED_ZONE } from '../domain/observation/delegation.ts';
import { NO_WILDCARD } from '../domain/observation/wildcard.ts';
import { slugsOf, type Detection } from '../domain/observation/domain-observation.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import type { ListenerTable } from '../net/own-listeners.ts';
import { systemClock } from '../providers/call.ts';
import { descriptors } from '../providers/registry.ts';
import { providerHttp } from '../providers/toolkit/http.ts';
import { tokenCache } from '../providers/toolkit/token-cache.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import { pauseCheckIn } from '../provisioning/pause-check.ts';
import { sharedAllowances } from '../provisioning/request-allowances.ts';
import { sharedZoneLock } from '../provisioning/zone-lock.ts';
import { openTemporal, type Temporal } from '../temporal/client.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import { dialPolicies, type DialPolicies } from './dial-policies.ts';
import { openDomainConnect, type DomainConnect } from './domain-connect.ts';
import { providerUrls } from './provider-urls.ts';
import { tracedObserver, tracedProviderCalls } from './traces.ts';

/** The parts that the API and the worker share. Opening these parts makes no network connection. */
export interface Core {
  /** Name of the process, for its log. */
  name: string;
  config: Config;
  log: Logger;
  metrics: Metrics;
  /** Addresses and ports at which this service listens. Hosts that tenants name must not resolve to these addresses. */
  own: ListenerTable;
  temporal: Temporal;
  /** Encrypts and decrypts tenants' secrets. */
  vault: Vault;
  /** Rules for connecting to hosts that tenants name. */
  dial: DialPolicies;
  /** Recognises the DNS provider of a zone by its name servers. */
  detection: Detection;
  /** Null if Domain Connect is not configured. */
  domainConnect: DomainConnect | null;
  /** Queries the public DNS. The sandbox has an observer of its own. */
  observer: Observer;
  /** Checks hostnames in the public DNS. */
  realChecker: Checker;
  /** Returns access to the DNS providers' APIs. Zone locks and request counts are kept in this pool's database. */
  providerAccessOn(pool: Pool): ProviderAccess;
  close(): Promise<void>;
}

export function openCore(config: Config, env: NodeJS.ProcessEnv, name: string, own: ListenerTable): Core {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name });
  const metrics = createMetrics();
  const temporal = openTemporal(env, config.TEMPORAL_TASK_QUEUE, config.TEMPORAL_CODEC_KEYS);
  const detection = createDetection(descriptors());
  const dial = dialPolicies(config, own);
  const domainConnect = openDomainConnect(config, dial.servers);
  const untraced = createObserver(
    {
      resolvers: config.DNS_RESOLVERS,
      authoritativePort: config.DNS_AUTHORITATIVE_PORT,
      allowPrivate: config.DNS_ALLOW_PRIVATE,
    },
    { detection, ...(domainConnect === null ? {} : { discover: offersOf(domainConnect) }) },
  );
  const observer = tracedObserver(untraced);
  const vault = openVault(requireKeys(config.CREDENTIAL_KEYS));
  const tokens = tokenCache(systemClock);
  return {
    name,
    config,
    log,
    metrics,
    own,
    temporal,
    vault,
    dial,
    detection,
    domainConnect,
    observer,
    realChecker: createChecker({
      observerOf: () => observer,
      providersOf: ({ nameservers, soa }) => slugsOf(detection.providerOf(nameservers, soa)),
      // Intervals between checks. The sandbox has shorter intervals.
      paceOf: () => REAL_PACE,
      edge: config.edge,
    }),
    providerAccessOn: (pool) => ({
      pool,
      vault,
      http: providerHttp({
        onCall: (line) => log.debug(line, 'provider call'),
        allowances: sharedAllowances(pool),
        guards: dial.guards,
        ...tracedProviderCalls(),
      }),
      zoneLock: sharedZoneLock(pool),
      isPaused: pauseCheckIn(pool),
      tokens,
      baseUrls: providerUrls(env),
      allowPrivate: config.DNS_ALLOW_PRIVATE,
      edge: config.edge,
      guards: dial.guards,
      recordCall: (provider, outcome) => metrics.providerCalls.inc({ provider, outcome }),
      // The public DNS has no sandbox hostnames.
      observeZone: (hostname, signal) =>
        isSandboxName(hostname) ? Promise.resolve(UNOBSERVED_ZONE) : observer.observeZone(hostname, signal),
      observeWildcard: (name, signal) =>
        isSandboxName(name) ? Promise.resolve(NO_WILDCARD) : observer.observeWildcard(name, signal),
    }),
    async close() {
      await Promise.all([observer.close(), domainConnect?.close()]);
      await temporal.connection.close();
    },
  };
}

/** Returns the web origin of the Temporal UI, if its URL is configured. */
export const temporalUiOf = ({ TEMPORAL_UI_URL }: Config): { temporalUiOrigin?: string } =>
  TEMPORAL_UI_URL === undefined ? {} : { temporalUiOrigin: new URL(TEMPORAL_UI_URL).origin };

/** Returns a function that finds a provider's Domain Connect offer: the templates of ours that the provider knows. */
const offersOf =
  ({ discover }: DomainConnect): NonNullable<ObserverParts['discover']> =>
  async (...asked) => {
    const found = await discover(...asked);
    return 'offer' in found ? found.offer : null;
  };

/** Returns the keys, or throws if they are missing. `npm start` creates keys; separate processes must share theirs. */
function requireKeys(keys: string | undefined): string {
  if (keys === undefined) throw new ConfigError('CREDENTIAL_KEYS must be set, as kid:base64 of 32 random bytes.');
  return keys;
}
