import type { Request, RequestHandler, Response } from 'express';
import type { ApiDeps } from './deps.ts';
import type { Route } from './route.ts';

const EXPOSED = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag';
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, MCP-Protocol-Version, X-Request-Id';
const PREFLIGHT_MAX_AGE_S = '600';

type ForBrowsers = Pick<Route, 'method' | 'widget'>;

/**
 * Lets browsers read answers of the widget's routes, from any origin: without a valid token an answer is the same 401 for
 * every origin, and a token's own application decides about its origin (403). So a page learns from the refusal that its
 * origin is missing. Credentials mode is off, because tokens travel in a header that only the page's own code can set.
 */
export const cors =
  (methods: readonly ForBrowsers[], { callers }: ApiDeps): RequestHandler =>
  async (request, response, next) => {
    response.vary('Origin');
    const origin = await readingOrigin(request, callers);
    if (origin !== undefined)
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
    if (!isPreflight(request)) {
      next();
      return;
    }
    if (origin !== undefined) allowPreflight(response, methods);
    response.status(204).end();
  };

/** Returns the origin that may read the answer. To an API key, only origins of applications: it belongs in a backend. */
async function readingOrigin(request: Request, callers: ApiDeps['callers']): Promise<string | undefined> {
  const origin = request.get('origin');
  if (origin === undefined || origin.length > 300) return undefined;
  const isKey = /^Bearer +sk_/i.test(request.get('authorization') ?? '');
  return !isKey || (await callers.originIsAllowed(origin)) ? origin : undefined;
}

const isPreflight = (request: Request): boolean =>
  request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;

function allowPreflight(response: Response, methods: readonly ForBrowsers[]): void {
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
