import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { freePort } from '../../../src/embedded/ports.ts';

/**
 * A tenant's origin that returns the request it received; upgraded connections echo their bytes. It reads a request
 * completely before it answers, like an application, so a request with an incomplete body gets no answer.
 */
export interface EchoOrigin {
  url: string;
  port: number;
  stop(): Promise<void>;
}

export async function startEchoOrigin(label: string, tls?: { key: Buffer; cert: Buffer }): Promise<EchoOrigin> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('content-type', 'application/json');
    const said = JSON.stringify({ label, url: request.url, headers: request.headers });
    request.resume().once('end', () => response.end(said));
  };
  const limits = { maxHeaderSize: 65_536 };
  const server = tls ? createHttps({ ...limits, ...tls }, answer) : createHttp(limits, answer);
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
    socket.on('error', () => undefined);
  });
  await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
