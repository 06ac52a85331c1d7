import { findKey, looksLikeSecret, noteUse } from '../db/keys.ts';
import { ServiceError } from '../domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Route } from './route.ts';

const unauthorized = () => new ServiceError('unauthorized', 'Send a valid API key as "Authorization: Bearer <key>".');

/** Who sends this header. One answer for missing, malformed, unknown and revoked, so that none can be told from another. */
export async function authenticate(header: string | undefined, { pool, log }: ApiDeps): Promise<Caller> {
  const secret = /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1];
  if (secret === undefined || !looksLikeSecret(secret)) throw unauthorized();
  const key = await findKey(pool, secret);
  if (key === null) throw unauthorized();
  if (key.last_used_at === null || Date.now() - key.last_used_at.getTime() > 60_000)
    noteUse(pool, key.id).catch((error: unknown) => log.warn({ err: error }, 'Could not note the use of a key.'));
  return { tenantId: key.tenant_id, environment: key.environment, scopes: new Set(key.scopes), key };
}

export function authorize(caller: Caller, { needs }: Pick<Route, 'needs'>): void {
  if (!caller.scopes.has(needs)) throw new ServiceError('forbidden', `This key lacks the scope ${needs}.`);
}
