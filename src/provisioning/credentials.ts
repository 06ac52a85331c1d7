import { uuidv7 } from 'uuidv7';
import { allCredentials, insertCredential, storeWrappedKey, type CredentialRow } from '../db/credentials.ts';
import { none, sql, type Pool, type Queryable } from '../db/pool.ts';
import { secretsOf } from '../providers/toolkit/credential.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';
import type { Vault } from '../vault/vault.ts';
import { openWith, type ProviderAccess, type GivenCredential } from './account.ts';
import { healthOf, type Health } from './health.ts';

export interface NewCredential extends GivenCredential {
  applicationId: string;
  label: string | null;
}

/**
 * Shows a credential to its provider before it is kept: one that is refused is refused here, in the provider's words; one
 * whose provider is out of reach is kept unverified. Makes calls, so it belongs before a transaction.
 */
export async function preflight(
  providerAccess: ProviderAccess,
  given: GivenCredential,
  signal?: AbortSignal,
): Promise<Health> {
  const health = await healthOf(openWith(providerAccess, given), signal);
  if (health.status === 'invalid')
    throw new ProviderError('auth_failed', health.reason ?? 'The provider refuses the credential.');
  return health;
}

/** Seals the secret and keeps it with what the preflight learned; connections that it covers are told. */
export async function keepCredential(
  providerAccess: ProviderAccess,
  tx: Queryable,
  given: NewCredential,
  health: Health,
): Promise<CredentialRow> {
  const id = uuidv7();
  const sealed = providerAccess.vault.seal(JSON.stringify(given.credential), {
    tenantId: given.tenantId,
    applicationId: given.applicationId,
    credentialId: id,
  });
  const row = await insertCredential(tx, {
    id,
    tenant_id: given.tenantId,
    application_id: given.applicationId,
    provider: given.provider,
    label: given.label,
    hint: hintOf(given),
    zones: health.zones ?? [],
    status: health.status,
    reason: health.reason,
    key_id: sealed.keyId,
    wrapped_key: sealed.wrappedKey,
    ciphertext: sealed.ciphertext,
    last_verified_at: health.status === 'ok' ? new Date() : null,
  });
  await notifyConnections(tx, row);
  return row;
}

/** The end of the secret, enough to tell two keys apart and nothing more. */
function hintOf({ provider, credential }: NewCredential): string {
  const descriptor = providerOf(provider)?.descriptor;
  const [secret = ''] = descriptor ? secretsOf(descriptor, credential) : [];
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…';
}

/** Whoever waits for records that this credential could write may go on at once. */
export async function notifyConnections(
  tx: Queryable,
  { application_id, zones }: Pick<CredentialRow, 'application_id' | 'zones'>,
): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO outbox (tenant_id, connection_id, kind)
    SELECT tenant_id, id, 'credentials_changed' FROM connections
    WHERE application_id = ${application_id}
      AND state IN ('pending_ownership', 'verifying', 'propagating', 'stalled', 'drifted')
      AND EXISTS (
        SELECT FROM unnest(${sql.array(zones, 'text')}) AS zone
        WHERE hostname = zone OR right(hostname, length(zone) + 1) = '.' || zone)
  `);
}

/** Gives every credential a seal of the newest master key; the secrets themselves are not touched. */
export async function rewrapCredentials(pool: Pool, vault: Vault): Promise<number> {
  let moved = 0;
  for (const row of await allCredentials(pool)) {
    const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    const fresh = vault.rewrap(sealed, {
      tenantId: row.tenant_id,
      applicationId: row.application_id,
      credentialId: row.id,
    });
    if (fresh.keyId === row.key_id) continue;
    await storeWrappedKey(pool, row.id, row.key_id, { key_id: fresh.keyId, wrapped_key: fresh.wrappedKey });
    moved++;
  }
  return moved;
}
