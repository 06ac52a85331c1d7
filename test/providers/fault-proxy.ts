import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { freePort } from '../../src/embedded/ports.ts';

/** A fault between an adapter and its server. */
export type Fault =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string }
  /** The request is dropped: nothing happens and no answer comes. */
  | { kind: 'silence' }
  /** Reads pass. A write reaches the server, and its answer is lost. */
  | { kind: 'silence_after_write' };

export interface FaultProxy {
  url: string;
  fault: Fault | undefined;
  stop(): Promise<void>;
}

/** Starts an HTTP proxy in front of one server, which forwards everything until a fault is set. */
export async function startFaultProxy(
  target: string,
  isWrite: (request: { method: string; path: string }) => boolean,
): Promise<FaultProxy> {
  const proxy: { fault: Fault | undefined } = { fault: undefined };
  const server = createServer((incoming, outgoing) => {
    const { fault } = proxy;
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'answer') {
      outgoing.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    const { method = '', url: path = '' } = incoming;
    const isLost = fault?.kind === 'silence_after_write' && isWrite({ method, path });
    forward(target, incoming, isLost ? undefined : outgoing);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    // With the path of the server's own URL, because signatures cover it.
    url: `http://127.0.0.1:${port}${new URL(target).pathname.replace(/\/$/, '')}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse | undefined): void {
  const onward = request(new URL(incoming.url ?? '/', target), {
    method: incoming.method,
    headers: incoming.headers,
  });
  onward.on('response', (answer) => {
    if (!outgoing) return void answer.resume();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing?.destroy());
  incoming.pipe(onward);
}
