import type { CookieOptions, Request, Response } from 'express';
import type { Find } from '../db/tenant/callers.ts';
import { ServiceError } from '../domain/errors.ts';
import { isLoopbackHost } from '../net/reach.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';

/** The secret is in the fragment, which browsers send to no server, so it appears in no log. */
export const linkUrl = (baseUrl: string, secret: string): string => `${baseUrl}/console#link=${secret}`;

/**
 * Whether a cookie would cross a network in plain text. Then no one can sign in. The host of the request counts too,
 * because a listener can be reached at other addresses than BASE_URL.
 */
export function isInsecure(baseUrl: string, ...requestHost: string[]): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol !== 'https:' && ![hostname, ...requestHost].every(isLoopbackHost);
}

/** A cookie of this service. The prefix __Host- keeps other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2). */
export interface Cookie {
  name: string;
  options: CookieOptions;
}

export function cookieAt(baseUrl: string, name: string, sameSite: 'strict' | 'lax'): Cookie {
  const secure = new URL(baseUrl).protocol === 'https:';
  return { name: secure ? `__Host-${name}` : name, options: { httpOnly: true, secure, sameSite, path: '/' } };
}

export const sessionCookie = (baseUrl: string): Cookie => cookieAt(baseUrl, 'svc_console', 'strict');

export function readCookie(request: Request, { name }: Cookie): string | undefined {
  const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim().split(/=(.*)/s));
  return pairs.find(([key]) => key === name)?.[1];
}

export const setCookie = (response: Response, { name, options }: Cookie, value: string, maxAgeMs: number): void =>
  void response.cookie(name, value, { ...options, maxAge: maxAgeMs });

export const clearCookie = (response: Response, { name, options }: Cookie): void =>
  void response.clearCookie(name, options);

const noSession = () => new ServiceError('unauthorized', 'Your session has ended. Sign in again.');

/** Returns the caller of a request's session cookie. */
export async function authenticateSession<F>(
  request: Request,
  deps: ApiDeps,
  find?: Find<F>,
): Promise<{ caller: Caller & { credential: { kind: 'session' } }; found: F | null }> {
  refuseOtherSites(request);
  const cookie = isInsecure(deps.baseUrl, request.hostname)
    ? undefined
    : readCookie(request, sessionCookie(deps.baseUrl));
  const recognized =
    cookie === undefined ? null : await deps.callers.bySession(cookie, deps.now?.() ?? new Date(), find);
  if (recognized === null) throw noSession();
  const { tenant_id, environment, scopes, session_id } = recognized.caller;
  const credential = { kind: 'session', sessionId: session_id } as const;
  return { caller: { tenantId: tenant_id, environment, scopes: new Set(scopes), credential }, found: recognized.found };
}

/**
 * Refuses requests of pages of other sites (CSRF). SameSite=Strict keeps the cookie from them already, but not from sibling
 * hosts of the same site. A page of another origin cannot set X-Svc-Console: no path here allows it by CORS.
 */
export function refuseOtherSites(request: Request): void {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin')
    throw new ServiceError('forbidden', 'Only the pages of the console may send this request.');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && request.get('x-svc-console') !== '1')
    throw new ServiceError('forbidden', 'Requests that change something need the header X-Svc-Console: 1.');
}
