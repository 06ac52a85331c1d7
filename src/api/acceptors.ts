import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type ListenOptions, type Server as NetServer } from 'node:net';

/** Sockets that accept connections at the same port. */
const SOCKETS = 16;
/** Connections that wait to be accepted at one socket. The kernel drops more, and their clients try again after seconds. */
const BACKLOG = 4_096;
/** Errors of systems on which sockets cannot share a port. */
const CANNOT_SHARE = new Set(['ENOTSUP', 'ENOPROTOOPT', 'EINVAL']);

/**
 * Listens with several sockets at one port where the system allows it, and returns all of them. Node accepts one
 * connection of each socket in a turn of its event loop. With one socket, the connection of a caller waited for seconds
 * behind five hundred of another, while the loop was busy.
 */
export async function listenTogether(
  server: Server,
  { highWaterMark, ...at }: { host: string; port: number; highWaterMark: number },
): Promise<NetServer[]> {
  // Sockets that share a port would share another program's too, so this one finds out whether the port is free.
  const sole = await listening(createServer(), at);
  const shared = { ...at, port: portOf(sole), reusePort: true };
  await new Promise((resolve) => void sole.close(resolve));
  try {
    // Node's HTTP server enforces its timeouts only while it listens itself.
    await listening(server, shared);
  } catch (error) {
    if (!CANNOT_SHARE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return [await listening(server, { ...shared, reusePort: false })];
  }
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true, highWaterMark }, (socket) => server.emit('connection', socket)),
  );
  try {
    await Promise.all(others.map((other) => listening(other, shared)));
  } catch (error) {
    for (const each of [server, ...others]) each.close(); // an open one would keep the process alive
    throw error;
  }
  return [server, ...others];
}

export const portOf = (server: NetServer): number => (server.address() as AddressInfo).port;

async function listening<S extends NetServer>(server: S, options: ListenOptions): Promise<S> {
  server.listen({ backlog: BACKLOG, ...options });
  await once(server, 'listening');
  return server;
}
