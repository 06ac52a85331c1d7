import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ServiceError, STATUS_OF } from '../../domain/errors.ts';
import type { PublicAuthority } from '../public-authority.ts';
import type { FeedHub } from './hub.ts';
import { feedRoutes } from './routes.ts';

const TLS_CHECK_EVERY_MS = 60_000;

export interface FeedServerOptions {
  hub: FeedHub;
  /** Limits certificate orders; null if the edge has its own CA. */
  authority: PublicAuthority | null;
  host: string;
  port: number;
  /** Files with the certificate and the key. Without them the listener speaks plain http. */
  tls: { certFile: string; keyFile: string } | undefined;
}

/** Starts the listener of the feed, where every route needs an edge and nothing else exists. */
export async function startFeedServer(options: FeedServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const routes = feedRoutes(options.hub, options.authority);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    routes(request, response).catch((error: unknown) => refuse(response, error));
  };
  const { tls, host, port } = options;
  const server = tls === undefined ? createServer(handle) : createTlsServer(contextOf(tls), handle);
  server.requestTimeout = 0; // an edge's messages are one long request; strangers are refused by its headers
  const reloading = tls === undefined ? undefined : reloadTls(server, tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      clearInterval(reloading);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const contextOf = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => {
  const cert = readFileSync(certFile);
  new X509Certificate(cert); // throws if it is none
  return { cert, key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const };
};

/** Uses a renewed certificate without a restart. */
function reloadTls(server: Server, tls: { certFile: string; keyFile: string }): NodeJS.Timeout {
  const changedAt = () => statSync(tls.certFile, { throwIfNoEntry: false })?.mtimeMs;
  let known = changedAt();
  return setInterval(() => {
    const now = changedAt();
    if (now === undefined || now === known) return;
    try {
      (server as unknown as { setSecureContext(context: object): void }).setSecureContext(contextOf(tls));
      known = now;
    } catch {
      // half written: the next check tries again
    }
  }, TLS_CHECK_EVERY_MS).unref();
}

/** Answers with the error in the API's format. A refused body is not read, so its connection is closed. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known =
    error instanceof ServiceError ? error : new ServiceError('unavailable', 'The database does not answer.');
  const { code, message, details } = known;
  const close = code === 'payload_too_large' || code === 'unauthorized' ? { connection: 'close' } : {};
  response
    .writeHead(STATUS_OF[code], { 'content-type': 'application/json', ...close })
    .end(JSON.stringify({ error: { code, message, details } }));
}
