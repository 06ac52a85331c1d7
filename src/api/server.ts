import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp, createInternalApp, type AppOptions } from './app.ts';
import type { ApiDeps } from './deps.ts';

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
    ...options
  }: Omit<AppOptions, 'operational'> & { port: number; internalPort?: number | undefined },
): Promise<RunningApi> {
  const app = createApp(deps, { ...options, operational: internalPort === undefined });
  const outer = await listen(internalPort === undefined ? behindEdge(deps, app) : app, host, port, 'PORT');
  const inner = await (internalPort === undefined
    ? outer
    : listen(behindEdge(deps, createInternalApp(deps)), host, internalPort, 'INTERNAL_PORT').catch(
        async (error: unknown) => {
          await close(outer);
          throw error;
        },
      ));
  return {
    port: portOf(outer),
    internalPort: portOf(inner),
    async stop() {
      await Promise.all([...new Set([outer, inner])].map(close));
    },
  };
}

/** For a process without the API: what its operator's machinery asks of it. */
export async function startOperational(
  deps: ApiDeps,
  host: string,
  port: number,
): Promise<Pick<RunningApi, 'internalPort' | 'stop'>> {
  const server = await listen(createInternalApp(deps), host, port, 'INTERNAL_PORT');
  return { internalPort: portOf(server), stop: () => close(server) };
}

/** The edge's two questions are answered before the framework sees them: one comes with every request to any site. */
const behindEdge =
  ({ internal }: ApiDeps, app: RequestListener): RequestListener =>
  (request, response) => {
    if (internal?.(request, response) !== true) app(request, response);
  };

export class PortTaken extends Error {
  constructor(port: number, setting = 'PORT') {
    super(`Port ${port} is taken by another program. Set ${setting}, or stop it.`);
    this.name = 'PortTaken';
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });

const listen = (listener: RequestListener, host: string, port: number, setting: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(listener);
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTaken(port, setting) : error);
    });
    server.listen(port, host, () => resolve(server));
  });
