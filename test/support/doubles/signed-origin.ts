import express from 'express';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { edgeOnly, RequestIds, verifyEdgeRequest } from '../../../client/edge.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

/** A tenant's origin that accepts only requests which an edge signed with its secrets, each once. */
export interface SignedOrigin {
  port: number;
  /** Secrets that it accepts; it starts with none. */
  secrets: string[];
  /** Requests that reached it, accepted or not. */
  received: Received[];
  stop(): Promise<void>;
}

export async function startSignedOrigin(tls?: ServerOptions): Promise<SignedOrigin> {
  const [secrets, received]: [string[], Received[]] = [[], []];
  const options = { requestIds: new RequestIds() };
  const limits = { maxHeaderSize: 131_072 };
  const app = express();
  const record = ({ method = '', url = '', headers }: IncomingMessage) => received.push({ method, url, headers });
  app.use((request, response, next) => {
    record(request);
    edgeOnly(secrets, options)(request, response, next);
  });
  // A router takes its prefix off the URL; the signature covers the whole.
  app.use('/below', (request, response) => response.json({ seen: request.url }));
  app.use((request, response) => response.json({ seen: request.url }));
  const server = tls === undefined ? createHttp(limits, app) : createHttps({ ...limits, ...tls }, app);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    record(request);
    socket.on('error', () => undefined);
    verifyEdgeRequest(request, secrets, options).then(
      () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.pipe(socket);
      },
      () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    secrets,
    received,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
