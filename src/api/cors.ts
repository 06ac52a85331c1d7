import type { Request, RequestHandler, Response } from 'express';
import type { ApiDeps } from './deps.ts';
import type { Route } from './route.ts';

const EXPOSED = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag';
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id';
const PREFLIGHT_MAX_AGE_S = '600';

/**
 * Lets browsers read answers of the widget's routes. A preflight has no token, so any application's origin is echoed.
 * Credentials mode is off, because tokens travel in a header that only the page's own code can set.
 */
export const cors =
  (methods: readonly Route[], { callers }: ApiDeps): RequestHandler =>
  async (request, response, next) => {
    response.vary('Origin');
    const allowed = await allowedOrigin(request, callers);
    if (allowed !== undefined)
      response.set({ 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': EXPOSED });
    if (!isPreflight(request)) {
      next();
      return;
    }
    if (allowed !== undefined) allowPreflight(response, methods);
    response.status(204).end();
  };

async function allowedOrigin(request: Request, callers: ApiDeps['callers']): Promise<string | undefined> {
  const origin = request.get('origin');
  if (origin === undefined || origin.length > 300) return undefined;
  return (await callers.originIsAllowed(origin)) ? origin : undefined;
}

const isPreflight = (request: Request): boolean =>
  request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;

function allowPreflight(response: Response, methods: readonly Route[]): void {
  response.set({
    'Access-Control-Allow-Methods': methods
      .filter((route) => route.widget !== undefined)
      .map((route) => route.method.toUpperCase())
      .join(', '),
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_S,
  });
}

/** Whether pages of other origins may read answers of a path, because one of its routes accepts widget tokens. */
export const isForBrowsers = (methods: readonly Route[]): boolean =>
  methods.some((route) => route.widget !== undefined);

/** Lets pages of any origin load a file: scripts, styles and the OpenAPI document. Other answers stay same-origin. */
export const publicAsset: RequestHandler = (_request, response, next) => {
  response.set({ 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' });
  next();
};
