import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** From 32768 the kernel assigns ports to outgoing connections, so a free port there can be taken a moment later. */
const LOWEST = 10_240;
const HIGHEST = 32_767;
const ATTEMPTS = 200;
/** Processes that start together have neighbouring ids, so each picks from its own part of the ports. */
const PARTS = 32;
const PORTS_IN_PART = Math.floor((HIGHEST - LOWEST + 1) / PARTS);

/** Ports that this process has handed out and may not have opened yet. */
const given = new Set<number>();

/** Returns the preferred port if it is free, or a random port that no other process picks at the same time. */
export async function freePort(preferred?: number): Promise<number> {
  const [port] = await freePorts([preferred]);
  return port;
}

/** Returns distinct free ports, one for each preference. All are held until the last is found. */
export async function freePorts<T extends (number | undefined)[]>(
  preferences: [...T],
): Promise<{ [K in keyof T]: number }>;
export async function freePorts(preferences: (number | undefined)[]): Promise<number[]> {
  const held: Server[] = [];
  try {
    for (const preferred of preferences) held.push(await holdPort(preferred));
    return held.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(held.map(release));
  }
}

export async function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function holdPort(preferred: number | undefined): Promise<Server> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = attempt === 0 && preferred !== undefined ? preferred : randomPort();
    const server = await tryToHold(port);
    if (server !== undefined) return server;
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST} was found on 127.0.0.1.`);
}

/** Returns a random port of this process's part. No port is returned twice before most of the part was used. */
export function randomPort(): number {
  if (given.size > PORTS_IN_PART / 2) given.clear();
  for (;;) {
    const port = LOWEST + (process.pid % PARTS) * PORTS_IN_PART + Math.floor(Math.random() * PORTS_IN_PART);
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

async function tryToHold(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function release(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
