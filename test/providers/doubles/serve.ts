import { once } from 'node:events';
import { createServer } from 'node:http';
import { freePort } from '../../../src/embedded/ports.ts';

export interface DoubleRequest {
  method: string;
  url: URL;
  header(name: string): string | undefined;
  body: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface DoubleServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Serves a double on loopback. Each answer is computed synchronously, so concurrent requests are handled one after
 * another.
 */
export async function serveDouble(answer: (request: DoubleRequest) => Answer, given?: number): Promise<DoubleServer> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { status, headers, body } = answer({
        method: incoming.method ?? '',
        url: new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? ''}`),
        header: (name) => [incoming.headers[name]].flat()[0],
        body: Buffer.concat(chunks).toString(),
      });
      outgoing.writeHead(status, headers).end(body);
    });
  });
  const port = given ?? (await freePort());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
