import { createHash, randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { none, sql, type Queryable, type Tx } from '../pool.ts';

/** 256 random bits cannot be guessed, so lookups need no rate limit. */
const SECRET_BYTES = 32;
/** Opening a link again within this time adds no second timeline entry. */
const OPENED_AGAIN_AFTER = '1 hour';

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

interface NewLink {
  tenantId: string;
  connectionId: string;
  now: Date;
  expiresAt: Date;
}

/** Creates a link and returns its secret. Only the hash is stored. */
export async function createShareLink(tx: Tx, { tenantId, connectionId, now, expiresAt }: NewLink): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await tx.query(sql.type(none)`
    INSERT INTO share_links (id, tenant_id, connection_id, hash, created_at, expires_at)
    VALUES (${uuidv7()}, ${tenantId}, ${connectionId}, ${sql.binary(hashOf(secret))},
            ${sql.timestamp(now)}, ${sql.timestamp(expiresAt)})
  `);
  return secret;
}

export async function revokeShareLinks(tx: Tx, connectionId: string, now: Date): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE share_links SET revoked_at = ${sql.timestamp(now)} WHERE connection_id = ${connectionId} AND revoked_at IS NULL
  `);
}

const ShareLink = z.object({ id: z.uuid(), tenant_id: z.uuid(), connection_id: z.uuid(), expires_at: z.date() });
export type ShareLink = z.infer<typeof ShareLink>;

export const findShareLink = (db: Queryable, secret: string, now: Date): Promise<ShareLink | null> =>
  db.maybeOne(sql.type(ShareLink)`
    SELECT id, tenant_id, connection_id, expires_at FROM share_link_of(${sql.binary(hashOf(secret))}, ${sql.timestamp(now)})
  `);

export async function recordOpened(tx: Tx, { id }: ShareLink, now: Date): Promise<void> {
  await tx.query(sql.type(none)`
    WITH opened AS (
      UPDATE share_links SET opened_at = ${sql.timestamp(now)}
      WHERE id = ${id}
        AND (opened_at IS NULL OR opened_at < ${sql.timestamp(now)}::timestamptz - ${OPENED_AGAIN_AFTER}::interval)
      RETURNING tenant_id, connection_id
    )
    INSERT INTO timeline (tenant_id, connection_id, at, kind, reason)
    SELECT tenant_id, connection_id, ${sql.timestamp(now)}, 'share_opened', 'The shared link was opened.' FROM opened
  `);
}
