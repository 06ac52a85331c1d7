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
import { envelopeOf, sealedIn } from '../vault/envelope.ts';
import type { Vault } from '../vault/vault.ts';
import { identityOf, openWith, type ProviderAccess, type GivenCredential } from './account.ts';
import { healthOf } from './health.ts';

export interface NewCredential extends GivenCredential {
  applicationId: string;
  label: string | null;
  /** Expiry from the tenant. An expiry that the provider returns takes precedence. */
  expiresAt?: Date | null;
}

/**
 * Checks a credential with its provider, before the transaction that saves the credential. If the provider cannot be
 * reached, the status is `unverified`.
 */
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

/**
 * Encrypts ("seals") the secret and saves it with the result of `preflight`. Wakes the workflows of the connections in
 * the credential's zones, because they may be able to write now.
 */
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
    // Zones with the provider's own ids.
    zone_handles: health.handles ?? [],
  });
  await announceCredential(tx, row);
  return row;
}

/** Replaces the secret of a credential and clears its refusals, because the new secret may have more permissions. */
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

/**
 * Deletes the saved refusals of a credential: zones in which the provider refused its writes. Wakes the workflows of
 * the connections in the credential's zones.
 */
export async function tryRefusedAgain(tx: Tx, row: CredentialRow): Promise<void> {
  await clearRefusedZones(tx, row.id);
  await clearRefusals(tx, row.application_id, row.id);
  await announceCredential(tx, row);
}

/** Returns the columns of a credential: the encrypted secret, and the result of the check. */
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
    ...envelopeOf(sealed),
    last_verified_at: health.status === 'ok' ? new Date() : null,
    expires_at: health.expiresAt ?? given.expiresAt ?? null,
  };
}

/** Returns public parts of the credential or the end of its secret, enough to distinguish two keys. */
function hintOf({ provider: slug, credential }: NewCredential): string {
  const provider = providerOf(slug);
  if (provider?.hint) return provider.hint(credential);
  const [secret = ''] = provider ? secretsOf(provider.descriptor, credential) : [];
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…';
}

/**
 * Encrypts every credential's data key with the newest master key ("rewraps" it) and returns the number of changed
 * rows. Skips a credential that another process has replaced in the meantime.
 */
export async function rewrapCredentials(pool: Pool, vault: Vault): Promise<number> {
  let rewrapped = 0;
  for (const row of await allCredentials(pool)) {
    const sealed = sealedIn(row);
    const fresh = vault.rewrap(sealed, identityOf(row));
    if (fresh === sealed) continue;
    if (await replaceEnvelope(pool, row.id, row, envelopeOf(fresh))) rewrapped++;
  }
  return rewrapped;
}
