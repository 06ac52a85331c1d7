import type { RequestListener } from 'node:http';
import { createApp, createInternalApp, type AppOptions } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { listen } from './listener.ts';

export interface RunningApi {
  port: number;
  /** Where /internal/*, /metrics and /healthz are; the same port unless they were given their own. */
  internalPort: number;
  /** Answers what was asked, refuses what comes after. */
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
  }: Omit<AppOptions, 'operational'> & {
    port: number;
    internalPort?: number | undefined;
    internalHost?: string;
  },
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

/** For a process without the API: what its operator's machinery asks of it. */
export async function startOperational(
  deps: ApiDeps,
  host: string,
  port: number,
): Promise<Pick<RunningApi, 'internalPort' | 'stop'>> {
  const listener = await listen(createInternalApp(deps), host, port, 'INTERNAL_PORT');
  return { internalPort: listener.port, stop: () => listener.stop() };
}

/** The edge's two questions are answered before the framework sees them: one comes with every request to any site. */
const behindEdge =
  ({ internal }: ApiDeps, app: RequestListener): RequestListener =>
  (request, response) => {
    if (internal?.(request, response) !== true) app(request, response);
  };
