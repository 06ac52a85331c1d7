import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../src/embedded/ports.ts';

/**
 * Stands before a database and can freeze connections: both ends stay open and nothing passes, as behind a lost route. Or
 * it passes everything late, as a database far away or short of breath would.
 */
export interface FreezingProxy {
  url: string;
  /** Freezes the connections that listen for admissions, and none that come later. */
  freezeListeners(): number;
  /** Freezes all connections, also those that come later. */
  freeze(): void;
  /** From now on every answer is so late. */
  delay(ms: number): void;
  /** Ends every connection and takes no new ones. */
  cut(): void;
  /** Takes connections again after a cut. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFreezingProxy(databaseUrl: string): Promise<FreezingProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<{ client: Socket; upstream: Socket; listens: boolean; frozen: boolean }>();
  let isFrozen = false;
  let delayMs = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = { client, upstream, listens: false, frozen: isFrozen };
    pairs.add(pair);
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes('LISTEN admission')) pair.listens = true;
      if (!pair.frozen) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (delayMs > 0) setTimeout(() => client.writable && client.write(chunk), delayMs);
      else if (!pair.frozen) client.write(chunk);
    });
    const end = () => {
      if (pair.frozen) return;
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
  });
  await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const destroyAll = () => {
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    url: url.href,
    freezeListeners() {
      const listening = [...pairs].filter(({ listens }) => listens);
      for (const pair of listening) pair.frozen = true;
      return listening.length;
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) pair.frozen = true;
    },
    delay(ms) {
      delayMs = ms;
    },
    cut() {
      server.close();
      destroyAll();
    },
    async heal() {
      await once(server.listen(Number(url.port), '127.0.0.1'), 'listening');
    },
    async stop() {
      server.close();
      destroyAll();
      if (server.listening) await once(server, 'close');
    },
  };
}
