import type { Billing } from '../billing/stripe.ts';
import type { Callers } from '../db/tenant/callers.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Pool } from '../db/pool.ts';
import type { DomainObservation } from '../domain/observation/domain-observation.ts';
import type { Lookup } from '../domain/observation/alias-path.ts';
import type { Checker } from '../domain/observation/check.ts';
import type { DnsRecord } from '../domain/record.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import type { EdgeTargets } from '../domain/connection/template.ts';
import type { InternalHandler } from '../edge/internal.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { SdkFile } from '../sdk/files.ts';
import type { Temporal } from '../temporal/client.ts';
import type { DomainConnectIdentity } from './domain-connect.ts';
import type { OwnHosts } from './own-hosts.ts';
import type { Limits } from './limiter.ts';
import type { ProviderDescription } from './schemas/providers.ts';
import type { Keyring } from './signed.ts';

/** What the API works with; built once in src/main. */
export interface ApiDeps {
  pool: Pool;
  callers: Callers;
  temporal: Temporal;
  /** Whose pages may ask to decode payloads. */
  temporalUiOrigin?: string;
  edge: EdgeTargets;
  /** How the service is reached from outside; also the issuer of widget tokens. */
  baseUrl: string;
  /** The billing provider; null where none is configured. */
  billing: Billing | null;
  /** Counts a call for the caller's application; absent where nothing is metered. */
  noteApiCall?(tenantId: string, applicationId: string, at: Date): void;
  /** The time of a request. */
  now?: () => Date;
  /** Where a tenant gets more than its plan allows. */
  upgradeUrl: string;
  ownHosts: OwnHosts;
  /** Which addresses origins and webhook receivers may have. */
  originDial: DialPolicy;
  receiverDial: DialPolicy;
  /** `signedState` signs cursors, the state of Domain Connect URLs, and body hashes of idempotent requests. */
  keys: { widgetTokens: Keyring; signedState: Keyring };
  limits: Limits;
  /** Networks of balancers whose X-Forwarded-For names the caller's address. */
  trustedProxies: readonly string[];
  providers: readonly ProviderDescription[];
  /** The real DNS, or the sandbox for names that live there. */
  checkerFor(row: ConnectionRow): Checker;
  /** The same for a name that may have no connection yet; the sandbox is another one for each tenant. */
  checkDomain(domain: string, wanted: DnsRecord[], tenantId: string, signal: AbortSignal): Promise<DomainObservation>;
  /** Single questions about a domain; the sandbox is another one for each tenant. */
  lookupFor(domain: string, tenantId: string, signal: AbortSignal): Lookup;
  /** How we are known to DNS providers that offer Domain Connect; null where it is off. */
  domainConnect: DomainConnectIdentity | null;
  /** What keeping and using credentials takes. */
  providerAccess: ProviderAccess;
  log: Logger;
  metrics: Metrics;
  /** The browser SDK; absent where no browser asks. */
  sdk?: readonly SdkFile[];
  /** Answers the edge before anything else sees the request; absent where no edge asks. */
  internal?: InternalHandler;
}
