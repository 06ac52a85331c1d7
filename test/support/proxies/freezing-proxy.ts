import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../../src/embedded/ports.ts';

/**
 * A proxy in front of a database or another server. It can freeze connections: both ends stay open and no bytes pass,
 * as behind a lost route. It can also delay every answer, like a distant or overloaded database.
 */
export interface FreezingProxy {
  url: string;
  /** Freezes the connections that listen for admissions, and no later ones. */
  freezeListeners(): number;
  /** Freezes all connections, including later ones. */
  freeze(): void;
  /** Restores the route: bytes that were sent in the meantime arrive, as with TCP retransmission. */
  thaw(): void;
  /**
   * Calls back when the database confirms the next transaction that contains this text. The confirmation is not
   * forwarded, so the client does not learn of the commit.
   */
  atCommitOf(text: string, then: () => void): void;
  /** Delays every later answer by this time. */
  delay(ms: number): void;
  /** Closes every connection and accepts no new ones. */
  cut(): void;
  /** Accepts connections again after a cut. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
  listens: boolean;
  frozen: boolean;
  /** Bytes that frozen ends sent, each with its destination. */
  held: { to: Socket; chunk: Buffer }[];
}

export async function startFreezingProxy(databaseUrl: string): Promise<FreezingProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  let isFrozen = false;
  let delayMs = 0;
  let trap: { text: string; then: () => void; pair?: Pair } | undefined;
  const pass = (pair: Pair, to: Socket, chunk: Buffer) => {
    if (pair.frozen) pair.held.push({ to, chunk });
    else if (to.writable) to.write(chunk);
  };
  const end = (pair: Pair) => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, upstream, listens: false, frozen: isFrozen, held: [] };
    pairs.add(pair);
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes('LISTEN admission')) pair.listens = true;
      if (trap !== undefined && chunk.includes(trap.text)) trap.pair = pair;
      pass(pair, upstream, chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (trap?.pair === pair && chunk.includes('COMMIT\0')) {
        trap.then();
        trap = undefined;
      } else if (delayMs > 0) setTimeout(() => pass(pair, client, chunk), delayMs);
      else pass(pair, client, chunk);
    });
    const ended = () => {
      if (!pair.frozen) end(pair);
    };
    for (const socket of [client, upstream]) socket.on('close', ended).on('error', ended);
  });
  await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const destroyAll = () => pairs.forEach(end);
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
    thaw() {
      isFrozen = false;
      for (const pair of pairs) {
        pair.frozen = false;
        for (const { to, chunk } of pair.held.splice(0)) pass(pair, to, chunk);
        if (pair.client.destroyed || pair.upstream.destroyed) end(pair);
      }
    },
    atCommitOf(text, then) {
      trap = { text, then };
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
