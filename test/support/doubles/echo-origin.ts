import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { freePort } from '../../../src/embedded/ports.ts';

/**
 * A tenant's origin that returns the request it received; upgraded connections echo their bytes, after an
 * answer with the request in `X-Seen`. It reads a request
 * completely before it answers, like an application, so a request with an incomplete body gets no answer.
 */
export interface EchoOrigin {
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** Returns the server name of the handshake; false in Node's property means none. */
const sniOf = ({ servername }: TLSSocket): string | null =>
  typeof servername === 'string' && servername !== '' ? servername : null;

export async function startEchoOrigin(label: string, tls?: { key: Buffer; cert: Buffer }): Promise<EchoOrigin> {
  const seenIn = ({ method, url, headers, socket }: IncomingMessage): string =>
    JSON.stringify({ label, method, url, headers, sni: socket instanceof TLSSocket ? sniOf(socket) : null });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('content-type', 'application/json');
    const said = seenIn(request);
    request.resume().once('end', () => response.end(said));
  };
  const limits = { maxHeaderSize: 65_536 };
  const server = tls ? createHttps({ ...limits, ...tls }, answer) : createHttp(limits, answer);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const seen = Buffer.from(seenIn(request)).toString('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Seen: ${seen}\r\n\r\n`,
    );
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
