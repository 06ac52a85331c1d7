import { z } from 'zod';
import { allEndpoints, lockEndpoint, replaceSecrets, type EndpointRow } from '../db/webhook/endpoints.ts';
import type { Pool } from '../db/pool.ts';
import type { EndpointSecrets } from '../domain/webhook/secret.ts';
import { envelopeOf, sealedIn, type Envelope } from '../vault/envelope.ts';
import type { Vault } from '../vault/vault.ts';

type Owner = Pick<EndpointRow, 'id' | 'tenant_id' | 'application_id'>;

/** Returns the identity to which the vault binds an endpoint's secrets. */
const identityOf = ({ id, tenant_id, application_id }: Owner) => ({
  kind: 'webhook_endpoint' as const,
  tenantId: tenant_id,
  ownerId: application_id,
  id,
});

const Stored = z.object({ current: z.string(), next: z.string().nullable() });

/**
 * Encrypts ("seals") the signing secrets of an endpoint together: the current secret, and the next secret during a
 * rotation. The next secret's activation time is a separate column.
 */
export function sealSecrets(vault: Vault, owner: Owner, { current, next }: EndpointSecrets): Envelope {
  return envelopeOf(vault.seal(JSON.stringify({ current, next: next?.secret ?? null }), identityOf(owner)));
}

export function openSecrets(
  vault: Vault,
  endpoint: Owner & Envelope & Pick<EndpointRow, 'next_secret_at'>,
): EndpointSecrets {
  const { current, next } = Stored.parse(JSON.parse(vault.open(sealedIn(endpoint), identityOf(endpoint))));
  const activatesAt = endpoint.next_secret_at;
  return { current, next: next === null || activatesAt === null ? null : { secret: next, activatesAt } };
}

/**
 * Encrypts every endpoint's secrets under the newest master key, one locked row at a time. Returns how many changed.
 */
export async function rewrapEndpoints(pool: Pool, vault: Vault): Promise<number> {
  let rewrapped = 0;
  for (const { id } of await allEndpoints(pool))
    await pool.transaction(async (tx) => {
      const row = await lockEndpoint(tx, id);
      if (row === null) return;
      const sealed = sealedIn(row);
      const fresh = vault.rewrap(sealed, identityOf(row));
      if (fresh === sealed) return;
      await replaceSecrets(tx, id, envelopeOf(fresh), row.next_secret_at);
      rewrapped++;
    });
  return rewrapped;
}
