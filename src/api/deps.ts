import type { Billing } from '../billing/stripe.ts';
import type { Roots } from '../certificates/chain.ts';
import type { Callers } from '../db/tenant/callers.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Pool } from '../db/pool.ts';
import type { DomainObservation } from '../domain/observation/domain-observation.ts';
import type { Lookup } from '../domain/observation/alias-path.ts';
import type { Checker } from '../domain/observation/check.ts';
import type { DnsRecord } from '../domain/record.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import type { Party } from '../net/step-semaphore.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import type { InternalHandler } from '../edge/internal.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { SdkFile } from '../sdk/files.ts';
import type { Temporal } from '../temporal/client.ts';
import type { Vault } from '../vault/vault.ts';
import type { ConsoleSettings } from './console-settings.ts';
import type { DomainConnectIdentity } from './domain-connect.ts';
import type { OwnHosts } from './own-hosts.ts';
import type { Limits } from './limiter.ts';
import type { ProviderDescription } from './schemas/providers.ts';
import type { Keyring } from './signed.ts';

export interface ApiDeps {
  pool: Pool;
  callers: Callers;
  temporal: Temporal;
  /** Origin of the Temporal UI, which may ask to decode payloads. */
  temporalUiOrigin?: string;
  edge: EdgeTargets;
  /** Public URL of the service, and the issuer of widget tokens. */
  baseUrl: string;
  /** The billing provider. Null if none is configured. */
  billing: Billing | null;
  /** Counts a call for the caller's application. Absent if calls are not metered. */
  /** Learns whose requests are served. */
  noteCaller?(caller: Party): void;
  recordApiCall?(tenantId: string, applicationId: string, at: Date): void;
  /** Returns the time of a request. Tests replace it. */
  now?: () => Date;
  /** Page where a tenant can choose a larger plan. */
  upgradeUrl: string;
  ownHosts: OwnHosts;
  /** Addresses that origins and webhook receivers may have. */
  originDial: DialPolicy;
  receiverDial: DialPolicy;
  /** `signedState` signs cursors, the state of Domain Connect URLs, and body hashes of idempotent requests. */
  keys: { widgetTokens: Keyring; signedState: Keyring };
  limits: Limits;
  /** Networks of load balancers whose X-Forwarded-For header is trusted. */
  trustedProxies: readonly string[];
  providers: readonly ProviderDescription[];
  /** Returns a checker of the real DNS, or of the sandbox for sandbox hostnames. */
  checkerFor(row: ConnectionRow): Checker;
  /** Checks a domain that may have no connection yet. Each tenant has its own sandbox. */
  checkDomain(
    domain: string,
    wanted: DnsRecord[],
    tenantId: string,
    signal: AbortSignal,
    /** Domain Connect services of the application's own records. */
    own?: readonly string[],
  ): Promise<DomainObservation>;
  /** Returns a lookup for single DNS queries about a domain. Each tenant has its own sandbox. */
  lookupFor(domain: string, tenantId: string, signal: AbortSignal): Lookup;
  /** Our identity at DNS providers that support Domain Connect. Null if it is off. */
  domainConnect: DomainConnectIdentity | null;
  /** The console. Null if it is off. */
  console: ConsoleSettings | null;
  vault: Vault;
  /** The CA at which the service orders certificates itself. Null if it orders none. */
  ordersAt: string | null;
  /** Names of delegated validation. Null if no delegation zone is configured. */
  delegation: { nameFor(hostname: string): string; fingerprint: string } | null;
  /** Returns the root certificates that uploaded chains must reach. */
  uploadRoots(): Roots;
  providerAccess: ProviderAccess;
  log: Logger;
  metrics: Metrics;
  /** Files of the browser SDK. Absent in processes that do not serve it. */
  sdk?: readonly SdkFile[];
  /** Files of the console. Absent in processes that do not serve it, and with CONSOLE=off. */
  consoleFiles?: readonly SdkFile[];
  /** Files of the API reference. Absent in processes that do not serve it. */
  referenceFiles?: readonly SdkFile[];
  /** Handles the edge's requests before the framework does. Absent in processes that no edge calls. */
  internal?: InternalHandler;
}

/** Dependencies of the internal listener, which workers have too. */
export type InternalDeps = Pick<
  ApiDeps,
  'pool' | 'callers' | 'temporal' | 'temporalUiOrigin' | 'trustedProxies' | 'metrics' | 'log'
>;
