import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/embedded/ports.ts';

/** Starts a proxy that forwards every request and delays each answer. */
export async function startDelayingProxy(
  target: string,
  delayMs: number,
): Promise<{ url: string; stop(): Promise<void> }> {
  const base = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const url = new URL(base.pathname.replace(/\/$/, '') + (incoming.url ?? '/'), base);
    const onward = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      void pause(delayMs).then(() => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const port = await freePort();
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
