import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { ApiDeps } from './deps.ts';

export interface RunningApi {
  port: number;
  /** Answers what was asked, refuses what comes after. */
  stop(): Promise<void>;
}

export async function startApi(deps: ApiDeps, host: string, port: number): Promise<RunningApi> {
  const app = createApp(deps);
  const server = createServer((request, response) => {
    if (!deps.internal(request, response)) app(request, response);
  });
  await listening(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

export class PortTaken extends Error {
  constructor(port: number) {
    super(`Port ${port} is taken by another program. Set PORT, or stop it.`);
    this.name = 'PortTaken';
  }
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTaken(port) : error);
    });
    server.listen(port, host, resolve);
  });
