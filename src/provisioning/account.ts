import { z } from 'zod';
import type { CredentialRow } from '../db/zone/credentials.ts';
import type { Pool } from '../db/pool.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import type { WildcardVerdict, ZoneObservation } from '../domain/observation/observation.ts';
import type { Account, Credential, ProviderContext } from '../providers/contract.ts';
import type { ProviderHttp } from '../providers/toolkit/http.ts';
import { systemClock } from '../providers/call.ts';
import { ProviderError, type ProviderErrorCode } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';
import type { TokenCache } from '../providers/toolkit/token-cache.ts';
import { sealedIn } from '../vault/envelope.ts';
import type { SecretIdentity, Vault } from '../vault/vault.ts';
import { localZones } from './local-zones.ts';
import type { PauseCheck } from './pause-check.ts';
import type { SharedZoneLock } from './zone-lock.ts';

/** Everything that is needed to open a credential: vault, HTTP client, and the operator's settings. */
export interface ProviderAccess {
  pool: Pool;
  vault: Vault;
  http: ProviderHttp;
  zoneLock: SharedZoneLock;
  isPaused: PauseCheck;
  tokens: TokenCache;
  /** PROVIDER_<SLUG>_URL, by slug. */
  baseUrls: ReadonlyMap<string, string>;
  allowPrivate: boolean;
  /** Present targets of the records that connections want. */
  edge: EdgeTargets;
  /** Guards for servers that tenants name. */
  guards?: NonNullable<ProviderContext['guards']>;
  /** Records the outcome of each provider call: `ok`, or its error code. */
  recordCall?(provider: string, outcome: 'ok' | ProviderErrorCode | 'aborted'): void;
  /** Returns the zone of the hostname in the live DNS, and its delegation. */
  observeZone(hostname: string, signal?: AbortSignal): Promise<ZoneObservation>;
  /** Returns whether only a wildcard answers for a name in the live DNS. */
  observeWildcard(name: string, signal?: AbortSignal): Promise<WildcardVerdict>;
}

const Opened = z.record(z.string(), z.string());

/** Opens a stored credential. The secret leaves the vault here and is sent to its provider only. */
export function openAccount(providerAccess: ProviderAccess, row: CredentialRow): Account {
  const credential = Opened.parse(JSON.parse(providerAccess.vault.open(sealedIn(row), identityOf(row))));
  return openWith(providerAccess, { tenantId: row.tenant_id, provider: row.provider, credential });
}

/** Returns the identity to which a credential's envelope is bound. */
export const identityOf = (row: Pick<CredentialRow, 'id' | 'tenant_id' | 'application_id'>): SecretIdentity => ({
  kind: 'credential',
  tenantId: row.tenant_id,
  ownerId: row.application_id,
  id: row.id,
});

/** An unsealed credential and its tenant. Each tenant has its own sandbox. */
export interface GivenCredential {
  tenantId: string;
  provider: string;
  credential: Credential;
}

export function openWith(
  providerAccess: ProviderAccess,
  { tenantId, provider: slug, credential }: GivenCredential,
): Account {
  const provider = providerOf(slug);
  if (!provider) throw new ProviderError('validation', `There is no provider "${slug}".`);
  const { http, zoneLock, tokens, pool, isPaused, baseUrls, allowPrivate, guards } = providerAccess;
  const baseUrl = baseUrls.get(slug);
  const tokenUrl = baseUrls.get(`${slug}_token`);
  const account = provider.open(credential, {
    http,
    zoneLock,
    tokens,
    clock: systemClock,
    localZones: localZones(pool, tenantId),
    allowPrivate,
    ...(guards === undefined ? {} : { guards }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  });
  const note = (outcome: 'ok' | ProviderErrorCode | 'aborted') => providerAccess.recordCall?.(slug, outcome);
  return through(account, async (call) => {
    // Checked before each call, because the operator may have paused the provider since the account was opened.
    if (await isPaused(slug))
      throw new ProviderError('transient', `${provider.descriptor.name} is paused by the operator of this service.`);
    try {
      const answer = await call();
      note('ok');
      return answer;
    } catch (error) {
      note(error instanceof ProviderError ? error.code : 'aborted');
      throw error;
    }
  });
}

/** Returns the account with every call wrapped in `pass`. */
const through = (account: Account, pass: <T>(call: () => Promise<T>) => Promise<T>): Account => ({
  verify: (call) => pass(() => account.verify(call)),
  ...(account.expiry && { expiry: (call) => pass(async () => account.expiry?.(call)) }),
  findZone: (host, call) => pass(() => account.findZone(host, call)),
  records: (zone, hosts, call) => pass(() => account.records(zone, hosts, call)),
  apply: (zone, change, call) => pass(() => account.apply(zone, change, call)),
});
