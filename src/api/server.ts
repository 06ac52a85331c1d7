import type { RequestListener } from 'node:http';
import { createApp, createInternalApp, type AppOptions } from './app.ts';
import type { ApiDeps, InternalDeps } from './deps.ts';
import { listen } from './listener.ts';

export interface RunningApi {
  port: number;
  /** Port of /internal/*, /metrics and /healthz. The same as `port` unless the operator sets INTERNAL_PORT. */
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
    ...options
  }: Omit<AppOptions, 'operational'> & { port: number; internalPort?: number | undefined; internalHost?: string },
): Promise<RunningApi> {
  const app = createApp(deps, { ...options, operational: internalPort === undefined });
  const outer = await listen(internalPort === undefined ? behindEdge(deps, app) : app, host, port, 'PORT');
  const inner = await (internalPort === undefined
    ? outer
    : listen(behindEdge(deps, createInternalApp(deps)), internalHost, internalPort, 'INTERNAL_PORT').catch(
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
  const listener = await listen(createInternalApp(deps), host, port, 'INTERNAL_PORT');
  return { internalPort: listener.port, stop: () => listener.stop() };
}

/** Answers the edge before express does, because the edge asks with every request to any site. */
const behindEdge =
  ({ internal }: ApiDeps, app: RequestListener): RequestListener =>
  (request, response) => {
    if (internal?.(request, response) !== true) app(request, response);
  };
