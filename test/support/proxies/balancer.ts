import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../src/embedded/ports.ts';

export interface Balancer {
  port: number;
  /** Connections that each port got. */
  counts: readonly number[];
  /** Gives later connections to this port only. Connections that exist stay where they are. */
  steerTo(port: number): void;
  stop(): Promise<void>;
}

/** Starts a proxy that gives each new connection to the next port, as a balancer without memory does. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const counts = ports.map(() => 0);
  const open = new Set<Socket>();
  let next = 0;
  let chosen: number | undefined;
  const server = createServer((client) => {
    const index = next++ % ports.length;
    if (chosen === undefined) counts[index]!++;
    const upstream = connect(chosen ?? ports[index]!, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    counts,
    steerTo(to) {
      chosen = to;
    },
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
