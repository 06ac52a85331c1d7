import type { Request } from 'express';
import type { CallerRow, Find, Recognized } from '../db/tenant/callers.ts';
import { resemblesSecret } from '../db/tenant/keys.ts';
import { ServiceError } from '../domain/errors.ts';
import { normalizeHostname } from '../domain/hostname.ts';
import type { BearerCaller, Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import type { Route } from './route.ts';
import { readWidgetToken } from './widget-token.ts';

const unauthorized = () =>
  new ServiceError('unauthorized', 'Send a valid API key or widget token as "Authorization: Bearer <credential>".');
const expired = () =>
  new ServiceError('unauthorized', 'The widget token has expired. Mint a new one with POST /v1/tokens.');
/** Only a holder of the tenant's credentials gets this answer. It does not give the reason for the suspension. */
const suspended = () =>
  new ServiceError('forbidden', 'This account is suspended. Contact the operator of this service.', {
    details: { reason: 'tenant_suspended' },
  });
/** Only a holder of the application's token gets this answer, so it reveals nothing that the holder could not test. */
const originNotAllowed = (origin: string, applicationId: string) =>
  new ServiceError(
    'forbidden',
    `The origin ${origin} is not among the allowed_origins of application ${applicationId}. Add it with PATCH /v1/applications/${applicationId}.`,
    { details: { reason: 'origin_not_allowed', origin } },
  );
const forbidden = (message: string) => new ServiceError('forbidden', message);

/** Returns the caller of a request's Authorization header. Cookies have no effect. Every bad credential gets the same 401. */
export async function authenticate<F>(
  request: Request,
  { callers, keys, baseUrl }: ApiDeps,
  find?: Find<F>,
): Promise<{ caller: BearerCaller; found: F | null }> {
  const secret = /^Bearer +([\x21-\x7e]+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
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
    bound: token.bound,
    allowedOrigins: row.allowed_origins ?? [],
  }));
}

function asCaller<F>(
  { caller: row, found }: Recognized<F>,
  credential: (row: CallerRow) => BearerCaller['credential'],
): { caller: BearerCaller; found: F | null } {
  const { tenant_id, environment, scopes } = row;
  if (row.suspended) throw suspended();
  return { caller: { tenantId: tenant_id, environment, scopes: new Set(scopes), credential: credential(row) }, found };
}

/** Authenticates a request and, in the same statement, reads an object. */
export type Authenticate = <F>(
  request: Request,
  deps: ApiDeps,
  find?: Find<F>,
) => Promise<{ caller: Caller; found: F | null }>;

/** Throws unless the caller may use the route at all. It does not check which objects the caller may reach. */
export function authorize(caller: Caller, route: Route, request: Request): void {
  const { needs, widget, testOnly, createsCredential } = route;
  if (caller.credential.kind === 'widget') {
    if (widget === undefined) throw forbidden('Widget tokens are not accepted here.');
    const origin = request.get('origin');
    if (origin !== undefined && !caller.credential.allowedOrigins.includes(origin))
      throw originNotAllowed(origin, caller.credential.applicationId);
  }
  if (caller.credential.kind === 'session' && createsCredential)
    throw forbidden('A console session cannot create credentials. Use an API key.');
  if (needs.length > 0 && !needs.some((scope) => caller.scopes.has(scope)))
    throw forbidden(`This credential lacks the scope ${needs.join(' or ')}.`);
  if (testOnly && caller.environment !== 'test') throw forbidden('Only a test key may do this.');
}

/** Throws if a widget token asks for another application or hostname than its own. */
export function authorizeBody(caller: Caller, route: Route, body: unknown): void {
  const { credential } = caller;
  if (credential.kind !== 'widget') return;
  const applicationId = route.widget?.applicationId?.(body);
  if (applicationId !== undefined && applicationId !== credential.applicationId)
    throw forbidden('This widget token is for another application.');
  const hostname = route.widget?.hostname?.(body);
  if (hostname === undefined || credential.hostname === null) return;
  const normal = normalizeHostname(hostname, { test: true, wildcard: true });
  // An invalid hostname is refused later, with a message of its own.
  if (normal.ok && normal.hostname !== credential.hostname)
    throw forbidden(`This widget token is bound to ${credential.hostname}.`);
}
