import type { RequestListener } from 'node:http';
import { createApp, createInternalApp, type AppOptions } from './app.ts';
import type { ApiDeps, InternalDeps } from './deps.ts';
import { isAdmissionUrl } from '../edge/internal.ts';
import { listen } from './listener.ts';
import { inTurns } from './request-turns.ts';

export interface RunningApi {
  port: number;
  /** Port of /internal/*, /metrics and /healthz. The same as `port` without an internal listener. */
  internalPort: number;
  /** Answers open requests, then closes the listeners. */
  stop(): Promise<void>;
}

export async function startApi(
  deps: ApiDeps,
  host: string,
  {
    port,
    internalPort,
    internalHost = host,
    operational = internalPort === undefined,
    ...options
  }: Omit<AppOptions, 'operational'> & {
    port: number;
    internalPort?: number | undefined;
    internalHost?: string;
    /** Whether the public listener serves internal paths too, for development. */
    operational?: boolean;
  },
): Promise<RunningApi> {
  const app = inTurns(createApp(deps, { ...options, operational }));
  const outer = await (operational
    ? listen(withoutAdmission(app, behindEdge(deps, app)), { host, port, setting: 'PORT', kind: 'internal' })
    : listen(app, { host, port, setting: 'PORT', kind: 'public' }));
  const inner = await (internalPort === undefined
    ? outer
    : listenInternally(behindEdge(deps, createInternalApp(deps)), internalHost, internalPort).catch(
        async (error: unknown) => {
          await outer.stop();
          throw error;
        },
      ));
  return {
    port: outer.port,
    internalPort: inner.port,
    async stop() {
      await Promise.all([...new Set([outer, inner])].map((listener) => listener.stop()));
    },
  };
}

/** Starts the internal listener of a process that does not serve the API. */
export async function startOperational(
  deps: InternalDeps,
  host: string,
  port: number,
): Promise<Pick<RunningApi, 'internalPort' | 'stop'>> {
  const listener = await listenInternally(createInternalApp(deps), host, port);
  return { internalPort: listener.port, stop: () => listener.stop() };
}

const listenInternally = (handler: RequestListener, host: string, port: number) =>
  listen(handler, { host, port, setting: 'INTERNAL_PORT', kind: 'internal' });

/** Admissions name the origins of tenants, so the public listener never shows them. */
const withoutAdmission =
  (app: RequestListener, others: RequestListener): RequestListener =>
  (request, response) =>
    (isAdmissionUrl(request.url ?? '') ? app : others)(request, response);

/** Answers the edge before express does, because the edge asks with every request to any site. */
const behindEdge =
  ({ internal }: ApiDeps, app: RequestListener): RequestListener =>
  (request, response) => {
    if (internal?.(request, response) !== true) app(request, response);
  };
