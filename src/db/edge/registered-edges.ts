import { StoredSource } from '../certificate/certificates.ts';
import type { Client, Pool as PgPool } from 'pg';
import { z } from 'zod';
import { none, sql, type Pool, type Queryable } from '../pool.ts';
import { randomSecret } from '../tenant/keys.ts';

/** Returns a token for a new edge. */
export const newEdgeToken = (): string => `edge_${randomSecret()}`;

/** Public half of an edge's key pair (RFC 7517), P-256. */
export const PublicKey = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() });
export type PublicKey = z.infer<typeof PublicKey>;

const RegisteredEdge = z.object({
  name: z.string(),
  bound_at: z.date().nullable(),
  created_at: z.date(),
  revoked_at: z.date().nullable(),
});
export type RegisteredEdge = z.infer<typeof RegisteredEdge>;

/** Time in which a new token may bind a key pair. */
const BINDABLE = sql.fragment`interval '15 minutes'`;

/**
 * Registers a new edge, or gives an existing one a new token: its key pair is bound anew, and what was encrypted for the
 * old one is deleted. Returns false if a new edge exists already, or an existing one does not.
 */
export const registerToken = (
  pool: Pool,
  name: string,
  token: string,
  { isNew }: { isNew: boolean },
): Promise<boolean> =>
  pool.transaction(async (tx) => {
    const hash = sql.fragment`sha256(convert_to(${token}, 'UTF8'))`;
    const until = sql.fragment`clock_timestamp() + ${BINDABLE}`;
    const { rowCount } = isNew
      ? await tx.query(sql.type(none)`
          INSERT INTO registered_edges (name, token_hash, bindable_until, created_at)
          VALUES (${name}, ${hash}, ${until}, clock_timestamp()) ON CONFLICT (name) DO NOTHING
        `)
      : await tx.query(sql.type(none)`
          UPDATE registered_edges SET
            token_hash = ${hash}, bindable_until = ${until}, public_key = NULL, bound_at = NULL, revoked_at = NULL
          WHERE name = ${name}
        `);
    if (rowCount > 0) await deleteSealed(tx, name);
    return rowCount > 0;
  });

/** Registers a token that a deployment already has, unless it is registered. */
export async function ensureToken(db: Queryable, name: string, token: string): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO registered_edges (name, token_hash, bindable_until, created_at)
    VALUES (${name}, sha256(convert_to(${token}, 'UTF8')), 'infinity', clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET
      token_hash = excluded.token_hash, bindable_until = 'infinity', public_key = NULL, bound_at = NULL, revoked_at = NULL
    WHERE registered_edges.token_hash <> excluded.token_hash
  `);
}

/** Ends an edge's access to keys. Returns false if there is no such edge. */
export const revokeEdge = (pool: Pool, name: string): Promise<boolean> =>
  pool.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql.type(none)`
      UPDATE registered_edges SET revoked_at = clock_timestamp(), public_key = NULL WHERE name = ${name}
    `);
    await deleteSealed(tx, name);
    return rowCount > 0;
  });

/** Takes an edge out of service, or puts it back. Returns false if there is no such edge. */
export const drainEdge = async (db: Queryable, name: string, isDraining: boolean): Promise<boolean> => {
  const { rowCount } = await db.query(sql.type(none)`
    UPDATE registered_edges
    SET draining_at = CASE WHEN ${isDraining} THEN coalesce(draining_at, clock_timestamp()) END
    WHERE name = ${name} AND revoked_at IS NULL
  `);
  return rowCount > 0;
};

async function deleteSealed(db: Queryable, name: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM edge_certificates WHERE edge = ${name}`);
  await db.query(sql.type(none)`DELETE FROM edge_secret_copies WHERE edge = ${name}`);
}

export const listRegistered = (db: Queryable): Promise<readonly RegisteredEdge[]> =>
  db.any(sql.type(RegisteredEdge)`SELECT name, bound_at, created_at, revoked_at FROM registered_edges ORDER BY name`);

const BoundEdge = z.object({ name: z.string(), public_key: PublicKey });
export type BoundEdge = z.infer<typeof BoundEdge>;

/** Returns the edges that can read keys. */
export const boundEdges = (db: Queryable): Promise<readonly BoundEdge[]> =>
  db.any(sql.type(BoundEdge)`
    SELECT name, public_key FROM registered_edges WHERE public_key IS NOT NULL AND revoked_at IS NULL
  `);

/** Saves a private key that is encrypted for one edge. */
export async function saveSealed(db: Queryable, edge: string, certificateId: string, sealed: string): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO edge_certificates (edge, certificate_id, sealed) VALUES (${edge}, ${certificateId}, ${sealed})
    ON CONFLICT (certificate_id, edge) DO NOTHING
  `);
}

const Unsealed = z.object({ certificate_id: z.uuid(), connection_id: z.uuid(), edge: z.string() });

/** Returns certificates that an edge does not have, for example because it was bound after they were saved. */
export const unsealed = (db: Queryable, limit: number): Promise<readonly z.infer<typeof Unsealed>[]> =>
  db.any(sql.type(Unsealed)`
    SELECT certificates.id AS certificate_id, connection_id, registered_edges.name AS edge
    FROM certificates CROSS JOIN registered_edges
    WHERE public_key IS NOT NULL AND revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM edge_certificates WHERE certificate_id = certificates.id AND edge = registered_edges.name)
    LIMIT ${limit}
  `);

const HeldCertificate = z.object({ id: z.uuid(), hostname: z.string(), source: StoredSource });
export type HeldCertificate = z.infer<typeof HeldCertificate>;

/** Returns the certificates whose keys an edge can read. */
export const certificatesOf = (db: Queryable, name: string): Promise<readonly HeldCertificate[]> =>
  db.any(sql.type(HeldCertificate)`
    SELECT certificates.id, hostname, source
    FROM edge_certificates JOIN certificates ON certificates.id = certificate_id
      JOIN connections ON connections.id = connection_id
    WHERE edge = ${name} ORDER BY hostname
  `);

/** Binds the agent's key pair by its token, and returns the edge's name; null if the token is not accepted. */
export async function bindEdge(client: Client | PgPool, token: string, key: PublicKey): Promise<string | null> {
  const { rows } = await client.query<{ name: string | null }>('SELECT bind_edge($1, $2) AS name', [token, key]);
  return rows[0]?.name ?? null;
}

/** Reads what was encrypted for this edge, by certificate. */
export async function readSealed(
  client: Client,
  edge: string,
  certificateIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ certificate_id: string; sealed: string }>({
    name: 'read-sealed',
    text: 'SELECT certificate_id, sealed FROM edge_certificates WHERE edge = $1 AND certificate_id = ANY($2)',
    values: [edge, certificateIds],
  });
  return new Map(rows.map(({ certificate_id, sealed }) => [certificate_id, sealed]));
}
