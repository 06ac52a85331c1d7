import type { Request, Response } from 'express';
import { audit } from '../db/audit.ts';
import { asTenant, type Tx } from '../db/pool.ts';
import { endSession, getSession, type NamedSession } from '../db/tenant/console-sessions.ts';
import { roleOf } from '../domain/console-session.ts';
import { ServiceError } from '../domain/errors.ts';
import { authenticateSession, sessionCookie, setCookie } from './console-session.ts';
import type { ApiDeps } from './deps.ts';

/** A session of a browser, as far as it is needed to end it. */
export interface OpenSession {
  tenantId: string;
  sessionId: string;
}

/** Returns the session of a request's cookie, or null. */
export async function currentSession(request: Request, deps: ApiDeps): Promise<OpenSession | null> {
  try {
    const { caller } = await authenticateSession(request, deps);
    return { tenantId: caller.tenantId, sessionId: caller.credential.sessionId };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') return null;
    throw error;
  }
}

interface Start {
  tenantId: string;
  /** Session of the same browser, which this one replaces. */
  replaces: OpenSession | null;
  /** Makes the session and its cookie. Null if its link was used meanwhile. */
  begin(tx: Tx, now: Date): Promise<{ id: string; cookie: string } | null>;
}

/** Signs a browser in with a new cookie. Returns null, and sets no cookie, if the session may not begin. */
export async function startSession(
  deps: ApiDeps,
  response: Response,
  { tenantId, replaces, begin }: Start,
): Promise<NamedSession | null> {
  const now = deps.now?.() ?? new Date();
  const started = await asTenant(deps.pool, tenantId, async (tx) => {
    const made = await begin(tx, now);
    const row = made && (await getSession(tx, made.id));
    if (made === null || row === null) return null;
    await auditSession(tx, row, 'console_session.signed_in', response, now);
    return { row, cookie: made.cookie };
  });
  if (started === null) return null;
  if (replaces !== null) await stopSession(deps, response, replaces);
  const { row, cookie } = started;
  setCookie(response, sessionCookie(deps.baseUrl), cookie, row.expires_at.getTime() - now.getTime());
  return row;
}

export async function stopSession(
  deps: ApiDeps,
  response: Response,
  { tenantId, sessionId }: OpenSession,
): Promise<void> {
  const now = deps.now?.() ?? new Date();
  await asTenant(deps.pool, tenantId, async (tx) => {
    const row = await endSession(tx, sessionId, ['test', 'live'], now);
    if (row !== null) await auditSession(tx, row, 'console_session.ended', response, now);
  });
}

const auditSession = (
  tx: Tx,
  { id, tenant_id, environment }: Pick<NamedSession, 'id' | 'tenant_id' | 'environment'>,
  action: 'console_session.signed_in' | 'console_session.ended',
  response: Response,
  now: Date,
): Promise<void> =>
  audit(tx, {
    tenant_id,
    environment,
    key_id: null,
    session_id: id,
    action,
    target_id: id,
    fields: [],
    request_id: String(response.locals['requestId']),
    now,
  });

export const presentSession = (row: NamedSession) => ({
  id: row.id,
  tenant: { id: row.tenant_id, name: row.tenant_name },
  role: roleOf(row.scopes),
  scopes: row.scopes,
  environment: row.environment,
  expires_at: row.expires_at.toISOString(),
  signed_in_at: row.signed_in_at?.toISOString() ?? null,
});
