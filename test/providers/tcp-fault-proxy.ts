import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../src/embedded/ports.ts';
import type { Disturbance } from './lab.ts';

export interface TcpFaultProxy {
  port: number;
  disturbance: Disturbance | 'forgery' | undefined;
  stop(): Promise<void>;
}

/** Starts a TCP proxy in front of a DNS server, which forwards everything until it is disturbed. */
export async function startTcpFaultProxy(targetPort: number): Promise<TcpFaultProxy> {
  const proxy: Pick<TcpFaultProxy, 'disturbance'> = { disturbance: undefined };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client)).on('error', () => client.destroy());
    const { disturbance } = proxy;
    if (disturbance === 'silence') return;
    if (disturbance === 'garbage') {
      client.on('data', () => client.write(Buffer.from('\0\x10HTTP/1.1 200 OK\r'.repeat(30))));
      return;
    }
    forward(client, targetPort, disturbance);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}

function forward(client: Socket, targetPort: number, disturbance: TcpFaultProxy['disturbance']): void {
  const onward = connect(targetPort, '127.0.0.1');
  let isLost = false;
  client.on('data', (chunk: Buffer) => {
    isLost ||= disturbance === 'silence_after_write' && isWrite(chunk);
    onward.write(chunk);
  });
  onward.on('data', (chunk: Buffer) => {
    if (!isLost) client.write(disturbance === 'forgery' ? forged(chunk) : chunk);
  });
  client.on('close', () => onward.destroy());
  onward.on('close', () => client.destroy()).on('error', () => client.destroy());
}

/**
 * Whether a message is an UPDATE (opcode 5) with a non-empty update section. An UPDATE with prerequisites only is a
 * read.
 */
function isWrite(chunk: Buffer): boolean {
  const header = chunk.subarray(2);
  return ((header.readUInt16BE(2) >> 11) & 0xf) === 5 && header.readUInt16BE(8) > 0;
}

/** Flips one bit of the first reply's flags, as an attacker in between could. The message stays well-formed. */
function forged(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy.writeUInt8(copy.readUInt8(2 + 3) ^ 0x80, 2 + 3);
  return copy;
}
