import { uuidv7 } from 'uuidv7';
import {
  allCredentials,
  clearRefusedZones,
  insertCredential,
  replaceCredential,
  replaceEnvelope,
  type CredentialHealth,
  type CredentialRow,
} from '../db/zone/credentials.ts';
import { clearRefusals } from '../db/connection/connections.ts';
import { announceCredential } from '../db/outbox.ts';
import type { Pool, Queryable, Tx } from '../db/pool.ts';
import { secretsOf } from '../providers/toolkit/credential.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';
import type { Vault } from '../vault/vault.ts';
import { identityOf, openWith, type ProviderAccess, type GivenCredential } from './account.ts';
import { healthOf } from './health.ts';

export interface NewCredential extends GivenCredential {
  applicationId: string;
  label: string | null;
  /** Expiry from the tenant. The provider's own takes precedence. */
  expiresAt?: Date | null;
}

/** Checks a credential with its provider, before a transaction. If unreachable, the credential is saved unverified. */
export async function preflight(
  providerAccess: ProviderAccess,
  given: GivenCredential,
  signal?: AbortSignal,
): Promise<CredentialHealth> {
  const health = await healthOf(openWith(providerAccess, given), given.provider, signal);
  if (health.status === 'invalid')
    throw new ProviderError('auth_failed', health.reason ?? 'The provider refuses the credential.');
  return health;
}

/** Seals the secret and saves it with the preflight's result. Wakes the connections that it covers. */
export async function keepCredential(
  providerAccess: ProviderAccess,
  tx: Queryable,
  given: NewCredential,
  health: CredentialHealth,
): Promise<CredentialRow> {
  const owner = { id: uuidv7(), tenant_id: given.tenantId, application_id: given.applicationId };
  const row = await insertCredential(tx, {
    ...owner,
    provider: given.provider,
    ...sealedWith(providerAccess, owner, given, health),
    zones: health.zones ?? [],
    zone_handles: health.handles ?? [],
  });
  await announceCredential(tx, row);
  return row;
}

/** Replaces the secret of a credential, clears its refused zones and wakes the connections that it covers. */
export async function replaceSecret(
  providerAccess: ProviderAccess,
  tx: Tx,
  before: CredentialRow,
  given: NewCredential,
  health: CredentialHealth,
): Promise<CredentialRow> {
  const row = await replaceCredential(tx, {
    ...sealedWith(providerAccess, before, given, health),
    // If the provider cannot be reached, the previous zones are the best guess.
    zones: health.zones ?? before.zones,
    zone_handles: health.handles ?? before.zone_handles,
  });
  await tryRefusedAgain(tx, row);
  return row;
}

/** Clears the credential's refusals and wakes the connections that it covers. */
export async function tryRefusedAgain(tx: Tx, row: CredentialRow): Promise<void> {
  await clearRefusedZones(tx, row.id);
  await clearRefusals(tx, row.application_id, row.id);
  await announceCredential(tx, row);
}

function sealedWith(
  { vault }: ProviderAccess,
  owner: Parameters<typeof identityOf>[0],
  given: NewCredential,
  health: CredentialHealth,
) {
  const sealed = vault.seal(JSON.stringify(given.credential), identityOf(owner));
  return {
    id: owner.id,
    label: given.label,
    hint: hintOf(given),
    status: health.status,
    reason: health.reason,
    key_id: sealed.keyId,
    wrapped_key: sealed.wrappedKey,
    ciphertext: sealed.ciphertext,
    last_verified_at: health.status === 'ok' ? new Date() : null,
    expires_at: health.expiresAt ?? given.expiresAt ?? null,
  };
}

/** Returns the end of the secret, enough to distinguish two keys. */
function hintOf({ provider, credential }: NewCredential): string {
  const descriptor = providerOf(provider)?.descriptor;
  const [secret = ''] = descriptor ? secretsOf(descriptor, credential) : [];
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…';
}

/** Re-seals every credential with the newest master key, if the envelope is unchanged. */
export async function rewrapCredentials(pool: Pool, vault: Vault): Promise<number> {
  let moved = 0;
  for (const row of await allCredentials(pool)) {
    const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    const fresh = vault.rewrap(sealed, identityOf(row));
    if (fresh === sealed) continue;
    const envelope = { key_id: fresh.keyId, wrapped_key: fresh.wrappedKey, ciphertext: fresh.ciphertext };
    if (await replaceEnvelope(pool, row.id, row, envelope)) moved++;
  }
  return moved;
}
