import { replaceKeys, type SealedKey } from '../db/certificate/certificates.ts';
import type { Pool } from '../db/pool.ts';
import { envelopeOf, sealedIn } from '../vault/envelope.ts';
import type { SecretIdentity, Vault } from '../vault/vault.ts';

/** A row with a private key in the vault: a certificate, or a signing request that waits for one. */
type WithKey = Pick<SealedKey, 'id' | 'tenant_id' | 'connection_id'>;

const identityOf = ({ id, tenant_id, connection_id }: WithKey): SecretIdentity => ({
  kind: 'certificate_key',
  tenantId: tenant_id,
  ownerId: connection_id,
  id,
});

/** Encrypts a private key as the columns of its row. */
export const sealKey = (vault: Vault, key: string, row: WithKey) => envelopeOf(vault.seal(key, identityOf(row)));

export const openKey = (vault: Vault, row: SealedKey): string => vault.open(sealedIn(row), identityOf(row));

/** Encrypts every private key under the newest master key. Returns how many changed. */
export const rewrapCertificateKeys = (pool: Pool, vault: Vault): Promise<number> =>
  replaceKeys(pool, (row) => {
    const sealed = sealedIn(row);
    const fresh = vault.rewrap(sealed, identityOf(row));
    return fresh === sealed ? null : envelopeOf(fresh);
  });
