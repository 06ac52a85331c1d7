import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { none, sql, timestampOrNull, type Pool, type Queryable, type Tx } from '../pool.ts';
import { hashOfSecret, randomSecret } from './keys.ts';

/** Links into the console, and the sessions of the browsers that used them. Only hashes of their secrets are stored. */

const SessionRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  scopes: z.array(z.enum(SCOPES)),
  made_by: z.enum(['key', 'operator', 'openid_connect']),
  key_id: z.uuid().nullable(),
  created_at: z.date(),
  signed_in_at: z.date().nullable(),
  last_seen_at: z.date().nullable(),
  expires_at: z.date(),
});
export type SessionRow = z.infer<typeof SessionRow>;

const columns = sql.fragment`id, tenant_id, environment, scopes, made_by, key_id, created_at, signed_in_at, last_seen_at, expires_at`;

interface Grant {
  tenant_id: string;
  environment: Environment;
  scopes: readonly Scope[];
  made_by: SessionRow['made_by'];
  key_id: string | null;
  now: Date;
  expiresAt: Date;
}

/** Creates a link and returns its secret. A suspended tenant gets a link that does not work. */
export async function createLink(
  tx: Queryable,
  grant: Grant,
  linkExpiresAt: Date,
): Promise<{ id: string; secret: string }> {
  const secret = randomSecret();
  const id = await insert(tx, grant, { link_hash: hashOfSecret(secret), link_expires_at: linkExpiresAt });
  return { id, secret };
}

/** Creates a session without a link, for a browser that has signed in by other means. Returns its cookie. */
export async function createSession(tx: Queryable, grant: Grant): Promise<{ id: string; cookie: string }> {
  const cookie = randomSecret();
  return { id: await insert(tx, grant, { cookie_hash: hashOfSecret(cookie), signed_in_at: grant.now }), cookie };
}

interface Secrets {
  link_hash?: Buffer;
  link_expires_at?: Date;
  cookie_hash?: Buffer;
  signed_in_at?: Date;
}

async function insert(tx: Queryable, grant: Grant, secrets: Secrets): Promise<string> {
  const id = uuidv7();
  const binary = (hash: Buffer | undefined) => (hash === undefined ? null : sql.binary(hash));
  await tx.query(sql.type(none)`
    INSERT INTO console_sessions (id, tenant_id, environment, scopes, made_by, key_id, created_at, expires_at,
                                  link_hash, link_expires_at, cookie_hash, signed_in_at)
    VALUES (${id}, ${grant.tenant_id}, ${grant.environment}, ${sql.array([...grant.scopes], 'text')}, ${grant.made_by},
            ${grant.key_id}, ${sql.timestamp(grant.now)}, ${sql.timestamp(grant.expiresAt)},
            ${binary(secrets.link_hash)}, ${timestampOrNull(secrets.link_expires_at ?? null)},
            ${binary(secrets.cookie_hash)}, ${timestampOrNull(secrets.signed_in_at ?? null)})
  `);
  return id;
}

const ConsoleLink = SessionRow.pick({ id: true, tenant_id: true, environment: true, scopes: true }).extend({
  tenant_name: z.string(),
  link_expires_at: z.date(),
});
export type ConsoleLink = z.infer<typeof ConsoleLink>;

/** Finds a link that still works. */
export const findLink = (pool: Pool, secret: string, now: Date): Promise<ConsoleLink | null> =>
  pool.maybeOne(sql.type(ConsoleLink)`
    SELECT id, tenant_id, tenant_name, environment, scopes, link_expires_at
    FROM console_link_of(${sql.binary(hashOfSecret(secret))}, ${sql.timestamp(now)})
  `);

/** Uses a link: of two browsers, one gets the cookie and the other null. */
export async function useLink(tx: Tx, id: string, now: Date): Promise<string | null> {
  const cookie = randomSecret();
  const { rowCount } = await tx.query(sql.type(none)`
    UPDATE console_sessions
    SET cookie_hash = ${sql.binary(hashOfSecret(cookie))}, signed_in_at = ${sql.timestamp(now)}, link_hash = NULL
    WHERE id = ${id} AND signed_in_at IS NULL AND ended_at IS NULL AND link_expires_at > ${sql.timestamp(now)}
  `);
  return rowCount === 1 ? cookie : null;
}

const NamedSession = SessionRow.extend({ tenant_name: z.string() });
export type NamedSession = z.infer<typeof NamedSession>;

export const getSession = (tx: Tx, id: string): Promise<NamedSession | null> =>
  tx.maybeOne(sql.type(NamedSession)`
    SELECT ${columns}, (SELECT name FROM tenants WHERE tenants.id = tenant_id) AS tenant_name
    FROM console_sessions WHERE id = ${id} AND ended_at IS NULL
  `);

/** Links that still work, and sessions that have not ended. */
const isOpen = (now: Date) => sql.fragment`
  ended_at IS NULL AND expires_at > ${sql.timestamp(now)}
  AND (signed_in_at IS NOT NULL OR link_expires_at > ${sql.timestamp(now)})
  AND NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = key_id AND revoked_at IS NOT NULL)
`;

export const listSessions = (
  tx: Tx,
  environments: readonly Environment[],
  now: Date,
  page: PageRequest,
): Promise<readonly SessionRow[]> =>
  tx.any(sql.type(SessionRow)`
    SELECT ${columns} FROM console_sessions
    WHERE environment = ANY(${sql.array([...environments], 'text')}) AND ${isOpen(now)} AND ${pageOf(page)}
  `);

/** Ends a link or a session, and returns it. Null if there is none that is open. */
export const endSession = (
  tx: Tx,
  id: string,
  environments: readonly Environment[],
  now: Date,
): Promise<SessionRow | null> =>
  tx.maybeOne(sql.type(SessionRow)`
    UPDATE console_sessions SET ended_at = ${sql.timestamp(now)}
    WHERE id = ${id} AND environment = ANY(${sql.array([...environments], 'text')}) AND ${isOpen(now)}
    RETURNING ${columns}
  `);
