import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { sql, type Pool, type Queryable } from '../pool.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns 32 random bytes, 43 characters long. */
export const randomSecret = (): string => base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);

/** Returns 32 random bytes and a checksum of six characters, which secret scanners can verify without the database. */
export function mintSecret(environment: Environment): string {
  const body = `sk_${environment}_${randomSecret()}`;
  return body + checksum(body);
}

export const resemblesSecret = (text: string): boolean =>
  /^sk_(test|live)_[0-9A-Za-z]{49}$/.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

const checksum = (body: string): string => base62(BigInt(crc32(body)), 6);

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = (ALPHABET[Number(rest % 62n)] ?? '') + text;
  return text.padStart(width, '0');
}

/** 256 random bits need no slow hash. */
export const hashOfSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const KeyRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  name: z.string(),
  last4: z.string(),
  environment: z.enum(['test', 'live']),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.date(),
  last_used_at: z.date().nullable(),
  revoked_at: z.date().nullable(),
});
export type KeyRow = z.infer<typeof KeyRow>;

const columns = sql.fragment`id, tenant_id, application_id, name, last4, environment, scopes, created_at, last_used_at, revoked_at`;

export async function createKey(
  db: Queryable,
  key: { tenant_id: string; application_id: string; environment: Environment; name: string; scopes: readonly Scope[] },
): Promise<{ row: KeyRow; secret: string }> {
  const secret = mintSecret(key.environment);
  const row = await db.one(sql.type(KeyRow)`
    INSERT INTO api_keys (id, tenant_id, application_id, name, hash, last4, environment, scopes)
    VALUES (${uuidv7()}, ${key.tenant_id}, ${key.application_id}, ${key.name}, ${sql.binary(hashOfSecret(secret))},
            ${secret.slice(-4)}, ${key.environment}, ${sql.array([...key.scopes], 'text')})
    RETURNING ${columns}
  `);
  return { row, secret };
}

export const getKey = (db: Queryable, applicationId: string, id: string): Promise<KeyRow | null> =>
  db.maybeOne(sql.type(KeyRow)`
    SELECT ${columns} FROM api_keys WHERE id = ${id} AND application_id = ${applicationId}
  `);

export const listKeys = (db: Queryable, applicationId: string, page: PageRequest): Promise<readonly KeyRow[]> =>
  db.any(sql.type(KeyRow)`
    SELECT ${columns} FROM api_keys WHERE application_id = ${applicationId} AND ${pageOf(page)}
  `);

/** Revokes the key. A second revocation keeps the first time. */
export const revokeKey = (db: Queryable, id: string, now: Date): Promise<KeyRow | null> =>
  db.maybeOne(sql.type(KeyRow)`
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${sql.timestamp(now)}) WHERE id = ${id} RETURNING ${columns}
  `);

/** Returns the key of a secret, unless it was revoked. */
export const findKey = (pool: Pool, secret: string): Promise<KeyRow | null> =>
  pool.maybeOne(sql.type(KeyRow)`
    SELECT ${columns} FROM api_keys WHERE hash = ${sql.binary(hashOfSecret(secret))} AND revoked_at IS NULL
  `);
