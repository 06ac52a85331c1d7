import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import {
  deleteEdgeSecret,
  insertEdgeSecret,
  noteEdgeSecrets,
  replaceEdgeSecrets,
  saveSecretCopy,
  sealedEdgeSecret,
  secretsWithoutCopy,
  type EdgeSecretRow,
  type SealedEdgeSecret,
} from '../db/edge/edge-secrets.ts';
import { boundEdges } from '../db/edge/registered-edges.ts';
import type { Pool, Queryable, Tx } from '../db/pool.ts';
import { envelopeOf, sealedIn } from '../vault/envelope.ts';
import type { SecretIdentity, Vault } from '../vault/vault.ts';
import { encryptFor } from './for-edges.ts';

const PREFIX = 'edgesec_';

const identityOf = (row: Pick<EdgeSecretRow, 'id' | 'tenant_id' | 'application_id'>): SecretIdentity => ({
  kind: 'edge_secret',
  tenantId: row.tenant_id,
  ownerId: row.application_id,
  id: row.id,
});

const openSecret = (vault: Vault, row: SealedEdgeSecret): string => vault.open(sealedIn(row), identityOf(row));

/** Returns the base64 of the key: the part after the prefix. */
const keyIn = (secret: string): string => secret.slice(PREFIX.length);

/** Creates a secret, encrypts it for every edge, and notifies the edges. The application must be locked. */
export async function createEdgeSecret(
  tx: Tx,
  vault: Vault,
  application: { id: string; tenant_id: string },
  { activeFrom, now }: { activeFrom: Date; now: Date },
): Promise<{ id: string; secret: string }> {
  const identity = { id: uuidv7(), tenant_id: application.tenant_id, application_id: application.id };
  const secret = PREFIX + randomBytes(32).toString('base64');
  const sealed = envelopeOf(vault.seal(secret, identityOf(identity)));
  await insertEdgeSecret(tx, { ...identity, ...sealed, active_from: activeFrom, created_at: now });
  await copyForEdges(tx, identity.id, secret);
  await noteEdgeSecrets(tx, application.id);
  return { id: identity.id, secret };
}

/** Deletes a secret, and notifies the edges. Returns false if the application has none with this id. */
export async function dropEdgeSecret(tx: Tx, applicationId: string, id: string): Promise<boolean> {
  const wasThere = await deleteEdgeSecret(tx, applicationId, id);
  if (wasThere) await noteEdgeSecrets(tx, applicationId);
  return wasThere;
}

async function copyForEdges(db: Queryable, id: string, secret: string): Promise<void> {
  for (const edge of await boundEdges(db))
    await saveSecretCopy(db, edge.name, id, await encryptFor(edge.public_key, { id, key: keyIn(secret) }));
}

const COPIED_TOGETHER = 200;

/** Encrypts secrets for edges that cannot read them yet, and notifies the edges. Returns how many. */
export async function copyMissingSecrets(pool: Pool, vault: Vault): Promise<number> {
  const missing = await secretsWithoutCopy(pool, COPIED_TOGETHER);
  for (const row of missing) await copyForEdges(pool, row.id, openSecret(vault, row));
  for (const applicationId of new Set(missing.map(({ application_id }) => application_id)))
    await noteEdgeSecrets(pool, applicationId);
  return missing.length;
}

/** Encrypts every secret under the newest master key. Returns how many changed. */
export const rewrapEdgeSecrets = (pool: Pool, vault: Vault): Promise<number> =>
  replaceEdgeSecrets(pool, (row) => {
    const sealed = sealedIn(row);
    const fresh = vault.rewrap(sealed, identityOf(row));
    return fresh === sealed ? null : envelopeOf(fresh);
  });

/** Keys of secrets for API processes, which answer edges whose agent is down. A secret never changes, so it is kept. */
export function storedSigningKeys(
  pool: Pool,
  vault: Vault,
): { get(id: string): KeyObject | Promise<KeyObject | null> } {
  const known = new Map<string, KeyObject>();
  const read = async (id: string): Promise<KeyObject | null> => {
    const row = await sealedEdgeSecret(pool, id);
    if (row === null) return null;
    const key = createSecretKey(keyIn(openSecret(vault, row)), 'base64');
    known.set(id, key);
    return key;
  };
  return { get: (id) => known.get(id) ?? read(id) };
}
