import express, { type Express, type Request, type Response } from 'express';
import helmet from 'helmet';
import { asTenant } from '../db/pool.ts';
import { notFound, ServiceError } from '../domain/errors.ts';
import { authenticate, authorize } from './auth.ts';
import type { ApiDeps } from './deps.ts';
import { errorHandler } from './errors.ts';
import { health } from './health.ts';
import { observeRequests, requestId } from './requests.ts';
import type { Route } from './route.ts';
import { routes } from './routes/all.ts';
import { validate } from './validate.ts';

export const API_PREFIX = '/v1';
const BODY_LIMIT = '100kb';

/** The whole way of a request, in order. */
export function createApp(deps: ApiDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(requestId, observeRequests(deps));
  app.use(helmet());
  app.get('/healthz', health(deps));
  app.get('/metrics', async (_request, response) => {
    response.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });
  app.use(requireJson, express.json({ limit: BODY_LIMIT, type: () => true, strict: false }));
  for (const [path, methods] of byPath(routes)) {
    const pattern = API_PREFIX + path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of methods) app[route.method](pattern, handler(route, deps));
    app.all(pattern, refuseMethod(methods));
  }
  app.use(() => {
    throw notFound();
  });
  app.use(errorHandler(deps.log));
  return app;
}

const handler = (route: Route, deps: ApiDeps) => async (request: Request, response: Response) => {
  const caller = await authenticate(request.get('authorization'), deps);
  authorize(caller, route);
  const params: unknown = validate(route.params, request.params, 'path');
  const query: unknown = validate(route.query, request.query, 'query');
  const body: unknown = validate(route.body, request.body, 'body');
  const now = new Date();
  const context = { caller, params, query, body, deps, now };
  const reply = await asTenant(deps.pool, caller.tenantId, (tx) => route.handle({ ...context, tx }));
  await route.afterCommit?.(context, reply);
  response.status(reply.status).json(reply.body);
};

function byPath(all: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of all) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

const refuseMethod = (methods: readonly Route[]) => (_request: Request, response: Response) => {
  response.set('Allow', methods.map((route) => route.method.toUpperCase()).join(', '));
  throw new ServiceError('method_not_allowed', 'This path does not know that method; see the Allow header.');
};

const requireJson = (request: Request, _response: Response, next: () => void) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is('application/json'))
    throw new ServiceError('unsupported_media_type', 'Send the body as application/json.');
  next();
};
