import express, { type Express, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import { ServiceError } from '../domain/errors.ts';
import { nearMiss } from '../domain/near-miss.ts';
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
import { home } from './home.ts';
import { Limiter } from './limiter.ts';
import { providerGuides } from './provider-guide.ts';
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
  /** Pages of the demo tenant. Absent where the service has none. */
  demo?: Router;
}

/** Builds the public app. Its handlers run in the order of this function. */
export function createApp(deps: ApiDeps, { operational, routes = allRoutes, demo }: AppOptions): Express {
  const app = bareApp(deps);
  if (operational) app.use(operationalPaths(deps));
  app.use(home(deps.baseUrl, { hasDemo: demo !== undefined }));
  app.use(docs(), providerGuides(), sharedPages(deps), domainConnectReturn(deps), stripeWebhook(deps));
  if (demo) app.use(demo);
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
  return ending(app, deps, {
    paths: [...known, ...PUBLIC_PATHS, ...(operational ? OPERATIONAL_PATHS : [])],
    help: 'The API reference at /docs lists every path.',
  });
}

/** Builds the app of the internal listener, which must not be reachable from the internet. */
export function createInternalApp(deps: InternalDeps): Express {
  const app = bareApp(deps);
  app.use(operationalPaths(deps));
  const { codec } = deps.temporal;
  if (codec) app.use(codecRoutes(codec, deps.temporalUiOrigin ?? null));
  const paths = ['/healthz', ...OPERATIONAL_PATHS];
  return ending(app, deps, { paths, help: `This listener has ${paths.join(' and ')}.` });
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

function ending(app: Express, { log }: InternalDeps, known: KnownPaths): Express {
  app.use(({ path }: Request) => {
    throw noSuchPath(path, known);
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

interface KnownPaths {
  paths: readonly string[];
  /** Sentence that states where all paths are listed. */
  help: string;
}

/** Refuses an unknown path and suggests the known path that the caller probably meant. */
export function noSuchPath(path: string, { paths, help }: KnownPaths): ServiceError {
  const byShape = new Map(paths.map((known) => [shapeOf(known), known]));
  const meant = byShape.get(nearMiss(shapeOf(path), [...byShape.keys()]) ?? '');
  const suggestion = meant === undefined ? [] : [`Did you mean ${meant}?`];
  return new ServiceError('not_found', ['No such path.', ...suggestion, help].join(' '));
}

/** Returns a path with `{}` for each id and each {parameter}, so that ids do not count as typing errors. */
const shapeOf = (path: string): string =>
  path.replaceAll(/(?<=\/)(\{\w+\}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})/gi, '{}');
