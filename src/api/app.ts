import express, { type Express, type Request, type Router } from 'express';
import helmet from 'helmet';
import { ServiceError } from '../domain/errors.ts';
import { nearMiss } from '../domain/near-miss.ts';
import { authenticate, type Authenticate } from './auth.ts';
import { consoleOidc } from './console-oidc.ts';
import { authenticateSession, isInsecure } from './console-session.ts';
import { consoleSignIn } from './console-sign-in.ts';
import { cors, isForBrowsers } from './cors.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { sdkMetrics } from '../temporal/sdk-metrics.ts';
import { codecRoutes } from './codec.ts';
import { consolePages } from './console-pages.ts';
import type { ApiDeps, InternalDeps } from './deps.ts';
import { docs } from './docs.ts';
import { RETURN_PATH } from './domain-connect.ts';
import { domainConnectReturn } from './domain-connect-return.ts';
import { errorHandler } from './errors.ts';
import { handlerOf } from './handler.ts';
import { health } from './health.ts';
import { home } from './home.ts';
import { Limiter } from './limiter.ts';
import { mcp, MCP_PATH } from './mcp.ts';
import { providerGuides } from './provider-guide.ts';
import { refuseMethod } from './refuse-method.ts';
import { observeRequests, requestId, traceRequests } from './requests.ts';
import { API_PREFIX, type Route } from './route.ts';
import { earlierSdkFile, sdk, type FindEarlier } from './sdk.ts';
import { sharedPages } from './shared-pages.ts';
import { Shares } from './shares.ts';
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
  /** API key of the demo tenant, as which a button of the console signs in. */
  demoKey?: string;
}

/** Prefix at which the console calls the same routes with its session's cookie, which is accepted only there. */
const CONSOLE_API_PREFIX = `/console/api${API_PREFIX}`;

/** Builds the public app. Its handlers run in the order of this function. */
export function createApp(deps: ApiDeps, { operational, routes = allRoutes, demo, demoKey }: AppOptions): Express {
  const app = bareApp(deps);
  if (operational) app.use(operationalPaths(deps));
  if (isTracing()) app.use(traceRequests);
  app.use(home(deps.baseUrl, { hasDemo: demo !== undefined, hasConsole: deps.consoleFiles !== undefined }));
  const findEarlier: FindEarlier = (name) => earlierSdkFile(deps.pool, name);
  const { baseUrl, referenceFiles = [] } = deps;
  app.use(providerGuides(), docs({ baseUrl, files: referenceFiles, findEarlier, demoKey }));
  app.use(sharedPages(deps), domainConnectReturn(deps), stripeWebhook(deps));
  if (demo) app.use(demo);
  if (deps.sdk) app.use(sdk(deps.sdk, findEarlier));
  const paths = byPath(routes);
  // CORS headers come before any handler that can refuse the request, so that browsers can read the refusal.
  for (const [path, methods] of paths)
    if (isForBrowsers(methods)) app.all(patternOf(path, API_PREFIX), cors(methods, deps));
  const limiter = new Limiter(deps.limits);
  const limits = { limiter, shares: new Shares() };
  const mount = (prefix: string, by: Authenticate) => {
    for (const [path, methods] of paths) {
      const here = app.route(patternOf(path, prefix));
      for (const route of methods) here[route.method](handlerOf(route, deps, limits, by));
      here.all(refuseMethod(methods.map(({ method }) => method)));
    }
  };
  mount(API_PREFIX, authenticate);
  app.use(mcp(deps, limiter));
  if (deps.console) {
    app.use(consoleSignIn(deps, limiter, demoKey));
    if (deps.console.oidc) app.use(consoleOidc(deps, deps.console.oidc));
    mount(CONSOLE_API_PREFIX, authenticateSession);
    const offers = { hasDemo: demoKey !== undefined, hasOidc: deps.console.oidc !== null };
    const isOpen = { isInsecure: isInsecure(deps.baseUrl), findEarlier };
    if (deps.consoleFiles) app.use(consolePages({ files: deps.consoleFiles, ...offers, ...isOpen }));
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
const PUBLIC_PATHS = ['/docs', '/openapi.json', '/llms.txt', '/healthz', MCP_PATH, RETURN_PATH, ...STRIPE_PATHS];
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

const patternOf = (path: string, prefix: string): string =>
  prefix + path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1');

function byPath(all: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of all) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

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
