import type { Request } from 'express';
import type { CallerRow, Find, Recognized } from '../db/tenant/callers.ts';
import { resemblesSecret } from '../db/tenant/keys.ts';
import { ServiceError } from '../domain/errors.ts';
import { normalizeHostname } from '../domain/hostname.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import type { Route } from './route.ts';
import { readWidgetToken } from './widget-token.ts';

const unauthorized = () =>
  new ServiceError('unauthorized', 'Send a valid API key or widget token as "Authorization: Bearer <credential>".');
const expired = () =>
  new ServiceError('unauthorized', 'The widget token has expired. Mint a new one with POST /v1/tokens.');
/** Told only to who holds a credential of the tenant. Why it was suspended is between the operator and the tenant. */
const suspended = () =>
  new ServiceError('forbidden', 'This account is suspended. Ask the operator of this service why, and how to go on.', {
    details: { reason: 'tenant_suspended' },
  });
const forbidden = (message: string) => new ServiceError('forbidden', message);

/** Who sends this header, unless its tenant is suspended. One answer for missing, malformed, unknown and revoked: none can be told from another. */
export async function authenticate<F>(
  header: string | undefined,
  { callers, keys, baseUrl }: ApiDeps,
  find?: Find<F>,
): Promise<{ caller: Caller; found: F | null }> {
  const secret = /^Bearer +([\x21-\x7e]+)$/i.exec(header ?? '')?.[1] ?? '';
  if (resemblesSecret(secret)) {
    const recognized = await callers.byKey(secret, find);
    if (recognized === null) throw unauthorized();
    const keyId = recognized.caller.key_id ?? '';
    return asCaller(recognized, (row) => ({ kind: 'key', keyId, applicationId: row.application_id }));
  }
  const token = secret.includes('.') ? await readWidgetToken(keys.widgetTokens, baseUrl, secret) : null;
  if (token === 'expired') throw expired();
  const recognized = token === null ? null : await callers.byToken(token, find);
  if (token === null || recognized === null) throw unauthorized();
  return asCaller(recognized, (row) => ({
    kind: 'widget',
    tokenId: token.tokenId,
    applicationId: row.application_id,
    hostname: token.hostname,
    externalId: token.externalId,
    allowedOrigins: row.allowed_origins ?? [],
  }));
}

function asCaller<F>(
  { caller: row, found }: Recognized<F>,
  credential: (row: CallerRow) => Caller['credential'],
): { caller: Caller; found: F | null } {
  const { tenant_id, environment, scopes } = row;
  if (row.suspended) throw suspended();
  return {
    caller: { tenantId: tenant_id, environment, scopes: new Set(scopes), credential: credential(row) },
    found,
  };
}

/** Whether this caller may use this route at all, whatever it asks of it. */
export function authorize(caller: Caller, route: Route, request: Request): void {
  const { needs, widget, testOnly } = route;
  if (caller.credential.kind === 'widget') {
    if (widget === undefined) throw forbidden('Widget tokens are not accepted here.');
    const origin = request.get('origin');
    if (origin !== undefined && !caller.credential.allowedOrigins.includes(origin))
      throw forbidden("This origin is not among the application's allowed_origins.");
  }
  if (needs.length > 0 && !needs.some((scope) => caller.scopes.has(scope)))
    throw forbidden(`This credential lacks the scope ${needs.join(' or ')}.`);
  if (testOnly && caller.environment !== 'test') throw forbidden('Only a test key may do this.');
}

/** A widget token acts for one application, and if it is bound for one name; what it sends must not say otherwise. */
export function authorizeBody(caller: Caller, route: Route, body: unknown): void {
  const { credential } = caller;
  if (credential.kind !== 'widget') return;
  const applicationId = route.widget?.applicationId?.(body);
  if (applicationId !== undefined && applicationId !== credential.applicationId)
    throw forbidden('This widget token is for another application.');
  const hostname = route.widget?.hostname?.(body);
  if (hostname === undefined || credential.hostname === null) return;
  const normal = normalizeHostname(hostname, { test: true });
  // A name that is no host name is refused for that reason, later and in its own words.
  if (normal.ok && normal.hostname !== credential.hostname)
    throw forbidden(`This widget token is bound to ${credential.hostname}.`);
}
