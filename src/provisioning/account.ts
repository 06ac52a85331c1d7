import { z } from 'zod';
import type { CredentialRow } from '../db/credentials.ts';
import type { Pool } from '../db/pool.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import type { Account, Credential } from '../providers/contract.ts';
import type { Exclusive } from '../providers/toolkit/exclusive.ts';
import type { ProviderHttp } from '../providers/toolkit/http.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';
import type { SecretIdentity, Vault } from '../vault/vault.ts';
import { holdLock } from './lock.ts';
import { sandboxStore } from './sandbox-store.ts';

/** What opening a credential takes: the vault that keeps it, the way to providers, and the operator's settings. */
export interface ProviderAccess {
  pool: Pool;
  vault: Vault;
  http: ProviderHttp;
  /** PROVIDER_<SLUG>_URL, by slug. */
  baseUrls: ReadonlyMap<string, string>;
  allowPrivate: boolean;
  /** Which zone answers for the name in the live DNS, and which servers it is delegated to. */
  observeZone(hostname: string, signal?: AbortSignal): Promise<ZoneObservation>;
}

const Opened = z.record(z.string(), z.string());

/** A stored credential, ready to be used. The secret leaves the vault here and goes nowhere but to its provider. */
export function openAccount(providerAccess: ProviderAccess, row: CredentialRow): Account {
  const sealed = {
    keyId: row.key_id,
    wrappedKey: row.wrapped_key,
    ciphertext: row.ciphertext,
  };
  const credential = Opened.parse(JSON.parse(providerAccess.vault.open(sealed, identityOf(row))));
  return openWith(providerAccess, { tenantId: row.tenant_id, provider: row.provider, credential });
}

/** What a credential's envelope in the vault is bound to. */
export const identityOf = (row: Pick<CredentialRow, 'id' | 'tenant_id' | 'application_id'>): SecretIdentity => ({
  kind: 'credential',
  tenantId: row.tenant_id,
  ownerId: row.application_id,
  id: row.id,
});

/** A credential in the open, and whose it is: the sandbox is another one for each tenant. */
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
  const baseUrl = providerAccess.baseUrls.get(slug);
  return provider.open(credential, {
    http: providerAccess.http,
    exclusive: exclusiveIn(providerAccess.pool),
    sandbox: sandboxStore(providerAccess.pool, tenantId),
    allowPrivate: providerAccess.allowPrivate,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
}

/** One writer per zone in the whole installation, for providers that cannot tell two writers apart themselves. */
const exclusiveIn =
  (pool: Pool): Exclusive =>
  (key, task) =>
    pool.transaction(async (tx) => {
      await holdLock(tx, key);
      return task();
    }, 0);
