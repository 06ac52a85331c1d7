import express, { type Express, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import { ServiceError } from '../domain/errors.ts';
import { cors, isForBrowsers } from './cors.ts';
import { sdkMetrics } from '../temporal/sdk-metrics.ts';
import { codecRoutes } from './codec.ts';
import type { ApiDeps, InternalDeps } from './deps.ts';
import { docs } from './docs.ts';
import { RETURN_PATH } from './domain-connect.ts';
import { domainConnectReturn } from './domain-connect-return.ts';
import { errorHandler } from './errors.ts';
import { handlerOf } from './handler.ts';
import { health } from './health.ts';
import { Limiter } from './limiter.ts';
import { observeRequests, requestId } from './requests.ts';
import { API_PREFIX, type Route } from './route.ts';
import { earlierSdkFile, sdk } from './sdk.ts';
import { sharedPages } from './shared-pages.ts';
import { STRIPE_PATHS, stripeWebhook } from './stripe-webhook.ts';
import { routes as allRoutes } from './routes/all.ts';

/** Content security policy of answers: a browser that opens one as a page loads and runs nothing. */
const LOADS_NOTHING = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

export interface AppOptions {
  /** Whether this listener serves the operational paths too. They can have their own listener. */
  operational: boolean;
  routes?: readonly Route[];
  /** Pages in addition to the API, such as the demo's. */
  pages?: Router;
}

/** Builds the public app. Its handlers run in the order of this function. */
export function createApp(deps: ApiDeps, { operational, routes = allRoutes, pages }: AppOptions): Express {
  const app = bareApp(deps);
  if (operational) app.use(operationalPaths(deps));
  app.use(docs(), sharedPages(deps), domainConnectReturn(deps), stripeWebhook(deps));
  if (pages) app.use(pages);
  if (deps.sdk) app.use(sdk(deps.sdk, (name) => earlierSdkFile(deps.pool, name)));
  const paths = byPath(routes);
  // CORS headers come before any handler that can refuse the request, so that browsers can read the refusal.
  for (const [path, methods] of paths) if (isForBrowsers(methods)) app.all(patternOf(path), cors(methods, deps));
  const limiter = new Limiter(deps.limits);
  for (const [path, methods] of paths) {
    const here = app.route(patternOf(path));
    for (const route of methods) here[route.method](handlerOf(route, deps, limiter));
    here.all(refuseMethod(methods.map(({ method }) => method)));
  }
  const known = [...paths.keys()].map((path) => API_PREFIX + path);
  return ending(app, deps, [...known, ...PUBLIC_PATHS, ...(operational ? OPERATIONAL_PATHS : [])]);
}

/** Builds the app of the internal listener, which must not be reachable from the internet. */
export function createInternalApp(deps: InternalDeps): Express {
  const app = bareApp(deps);
  app.use(operationalPaths(deps));
  const { codec } = deps.temporal;
  if (codec) app.use(codecRoutes(codec, deps.temporalUiOrigin ?? null));
  return ending(app, deps, ['/healthz', ...OPERATIONAL_PATHS]);
}

/** Paths that are not API routes. */
const PUBLIC_PATHS = ['/docs', '/openapi.json', '/healthz', RETURN_PATH, ...STRIPE_PATHS];
const OPERATIONAL_PATHS = ['/metrics'];

function bareApp(deps: InternalDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.set('trust proxy', deps.trustedProxies);
  app.use(requestId, observeRequests(deps));
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: LOADS_NOTHING } }));
  app
    .route('/healthz')
    .get(health(deps))
    .all(refuseMethod(['get']));
  return app;
}

function operationalPaths({ metrics: { registry } }: InternalDeps): express.Router {
  const router = express.Router();
  const metrics = router.route('/metrics');
  metrics.get(async (_request, response) => {
    response.type(registry.contentType).send((await registry.metrics()) + (await sdkMetrics()));
  });
  metrics.all(refuseMethod(['get']));
  return router;
}

function ending(app: Express, { log }: InternalDeps, paths: readonly string[]): Express {
  app.use(({ path }: Request) => {
    throw noSuchPath(path, paths);
  });
  app.use(errorHandler(log));
  return app;
}

const patternOf = (path: string): string => API_PREFIX + path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1');

function byPath(all: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of all) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

const refuseMethod = (methods: readonly Route['method'][]) => (_request: Request, response: Response) => {
  response.set('Allow', methods.map((method) => method.toUpperCase()).join(', '));
  throw new ServiceError('method_not_allowed', 'This path does not support that method. See the Allow header.');
};

const MOST_LISTED = 30;

/** Refuses an unknown path and lists the known paths that begin like it, because most typos are near the end. */
export function noSuchPath(path: string, known: readonly string[]): ServiceError {
  const asked = segmentsOf(path);
  let below: string[] = [];
  let paths = known;
  for (let depth = 1; depth <= asked.length; depth++) {
    const deeper = paths.filter((one) => matches(segmentsOf(one), asked.slice(0, depth)));
    if (deeper.length === 0) break;
    paths = deeper;
    below = asked.slice(0, depth);
  }
  const listed = [...paths].sort().slice(0, MOST_LISTED);
  const where = below.length === 0 ? 'Known paths' : `Known paths below /${templateOf(below, listed[0])}`;
  return new ServiceError('not_found', `No such path. ${where}: ${listed.join(', ')}.`);
}

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** Spells the prefix as the route does, with {braces}, so the message does not repeat the caller's text. */
const templateOf = (prefix: readonly string[], path = ''): string => segmentsOf(path).slice(0, prefix.length).join('/');

const matches = (template: readonly string[], prefix: readonly string[]): boolean =>
  prefix.every((segment, index) => {
    const own = template[index];
    return own !== undefined && (/^\{\w+\}$/.test(own) || own.toLowerCase() === segment.toLowerCase());
  });
