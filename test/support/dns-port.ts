import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomPort } from '../../src/embedded/ports.ts';

/** A port that is free for UDP and TCP on each of the loopback addresses: authoritative servers share one port. */
export async function freeDnsPort(addresses: string[] = ['127.0.0.1']): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomPort();
    const free = await Promise.all(addresses.map((address) => isFree(address, port)));
    if (free.every(Boolean)) return port;
  }
  throw new Error(`A hundred ports were tried, and none is free on all of ${addresses.join(', ')}.`);
}

async function isFree(address: string, port: number): Promise<boolean> {
  const tcp = createServer();
  const udp = createSocket('udp4');
  try {
    await once(tcp.listen(port, address), 'listening');
    udp.bind(port, address);
    await once(udp, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    tcp.close();
    udp.close();
  }
}

let block = Math.floor(Math.random() * 60_000);

/** Loopback addresses that no other test uses at the same time, out of the 16 million there are. */
export function loopbackAddresses(count: number): string[] {
  return Array.from({ length: count }, () => {
    block = (block + 1) % 60_000;
    return `127.${1 + (process.pid % 200)}.${Math.floor(block / 250)}.${1 + (block % 250)}`;
  });
}
