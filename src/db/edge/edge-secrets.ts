import type { Client, Pool as PgPool } from 'pg';
import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { none, sql, type Pool, type Queryable, type Tx } from '../pool.ts';

/** A secret with which edges sign requests to an application's origins. */
export const EdgeSecretRow = Envelope.extend({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  active_from: z.date(),
  created_at: z.date(),
});
export type EdgeSecretRow = z.infer<typeof EdgeSecretRow>;

const columns = sql.fragment`id, tenant_id, application_id, key_id, wrapped_key, ciphertext, active_from, created_at`;

export async function insertEdgeSecret(tx: Tx, row: EdgeSecretRow): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO edge_secrets (${columns})
    VALUES (${row.id}, ${row.tenant_id}, ${row.application_id}, ${row.key_id}, ${sql.binary(row.wrapped_key)},
      ${sql.binary(row.ciphertext)}, ${sql.timestamp(row.active_from)}, ${sql.timestamp(row.created_at)})
  `);
}

/** Returns an application's secrets, the newest first. */
export const listEdgeSecrets = (
  db: Queryable,
  applicationId: string,
  page: PageRequest,
): Promise<readonly EdgeSecretRow[]> =>
  db.any(sql.type(EdgeSecretRow)`
    SELECT ${columns} FROM edge_secrets WHERE application_id = ${applicationId} AND ${pageOf(page)}
  `);

/** Deletes a secret. Returns false if the application has none with this id. */
export async function deleteEdgeSecret(tx: Tx, applicationId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(none)`
    DELETE FROM edge_secrets WHERE id = ${id} AND application_id = ${applicationId}
  `);
  return rowCount > 0;
}

/** Notifies every edge of the application's secrets. */
export async function noteEdgeSecrets(db: Queryable, applicationId: string): Promise<void> {
  await db.query(sql.type(z.unknown())`SELECT note_edge_secrets(${applicationId})`);
}

/** Saves a secret that is encrypted for one edge. */
export async function saveSecretCopy(db: Queryable, edge: string, secretId: string, sealed: string): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO edge_secret_copies (edge, secret_id, sealed) VALUES (${edge}, ${secretId}, ${sealed})
    ON CONFLICT (secret_id, edge) DO NOTHING
  `);
}

/** Returns secrets that an edge does not have, for example because it was bound after they were made. */
export const secretsWithoutCopy = (db: Queryable, limit: number): Promise<readonly EdgeSecretRow[]> =>
  db.any(sql.type(EdgeSecretRow)`
    SELECT ${columns} FROM edge_secrets
    WHERE EXISTS (
      SELECT FROM registered_edges WHERE public_key IS NOT NULL AND revoked_at IS NULL AND NOT EXISTS (
        SELECT FROM edge_secret_copies WHERE secret_id = edge_secrets.id AND edge = registered_edges.name))
    LIMIT ${limit}
  `);

/** Reads what was encrypted for this edge, by secret. */
export async function readSecretCopies(
  client: Client | PgPool,
  edge: string,
  secretIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ secret_id: string; sealed: string }>({
    name: 'read-secret-copies',
    text: 'SELECT secret_id, sealed FROM edge_secret_copies WHERE edge = $1 AND secret_id = ANY($2)',
    values: [edge, secretIds],
  });
  return new Map(rows.map(({ secret_id, sealed }) => [secret_id, sealed]));
}

const Sealed = EdgeSecretRow.omit({ active_from: true, created_at: true });
export type SealedEdgeSecret = z.infer<typeof Sealed>;

/** Returns a secret of any tenant, as the vault encrypted it; null if there is none. */
export const sealedEdgeSecret = (db: Queryable, id: string): Promise<SealedEdgeSecret | null> =>
  db.maybeOne(sql.type(Sealed)`
    SELECT id, tenant_id, application_id, key_id, wrapped_key, ciphertext FROM sealed_edge_secret(${id})
  `);

/** Replaces the encryption of every secret for which `change` returns one. Returns how many changed. */
export async function replaceEdgeSecrets(pool: Pool, change: (row: EdgeSecretRow) => Envelope | null): Promise<number> {
  let changed = 0;
  for (const id of await pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`SELECT id FROM edge_secrets`))
    await pool.transaction(async (tx) => {
      const row = await tx.maybeOne(sql.type(EdgeSecretRow)`
        SELECT ${columns} FROM edge_secrets WHERE id = ${id} FOR UPDATE
      `);
      const fresh = row && change(row);
      if (fresh === null) return;
      await tx.query(sql.type(none)`
        UPDATE edge_secrets SET key_id = ${fresh.key_id}, wrapped_key = ${sql.binary(fresh.wrapped_key)},
          ciphertext = ${sql.binary(fresh.ciphertext)}
        WHERE id = ${id}
      `);
      changed++;
    });
  return changed;
}
