import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { beginSpan } from '../telemetry/tracing.ts';
import type { ApiDeps } from './deps.ts';

const ACCEPTED_ID = /^[\w-]{1,128}$/;

/** Gives each request an id for answer, log and error reference: the caller's X-Request-Id if it is valid. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const id = given !== undefined && ACCEPTED_ID.test(given) ? given : randomUUID();
  response.locals['requestId'] = id;
  response.set('X-Request-Id', id);
  next();
};

/** Logs and measures each request by its route's pattern, because the path can contain customer data. */
export const observeRequests =
  ({ log, metrics }: Pick<ApiDeps, 'log' | 'metrics'>): RequestHandler =>
  (request, response, next) => {
    const stop = metrics.httpRequests.startTimer();
    response.once('finish', () => {
      const route = routeOf(request);
      const seconds = stop({ method: request.method, route, status: `${Math.floor(response.statusCode / 100)}xx` });
      const level = response.statusCode >= 500 ? 'error' : 'debug';
      log[level](
        {
          method: request.method,
          route,
          status: response.statusCode,
          ms: Math.round(seconds * 1_000),
          request_id: response.locals['requestId'] as string,
          ...(response.locals['trace'] as object | undefined),
        },
        'request',
      );
    });
    next();
  };

const routeOf = (request: Request): string => (request.route as { path?: string } | undefined)?.path ?? 'unmatched';

/** Handles each request in a span, which continues the caller's trace if the request has a `traceparent`. */
export const traceRequests: RequestHandler = (request, response, next) => {
  const span = beginSpan('request', { 'http.request.method': request.method }, { parent: request.get('traceparent') });
  if (span === null) {
    next();
    return;
  }
  response.locals['trace'] = { trace_id: span.context.traceId };
  response.once('close', () => {
    span.set({ 'http.route': routeOf(request), 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.fail({ code: String(response.statusCode) });
    span.end();
  });
  span.run(next);
};
