import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { decode } from 'dns-packet';

export interface DnsAddress {
  address: string;
  port: number;
}

export interface QuestionCount {
  name: string;
  type: string;
  count: number;
}

/** A relay in front of a DNS server that counts the questions. */
export interface DnsCounter extends DnsAddress {
  /** Questions since the last reset, most frequent first. A repeated question counts again. */
  counts(): QuestionCount[];
  total(): number;
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a relay for UDP and TCP. It hides the asker from the server. */
export async function startDnsCounter(listen: DnsAddress, upstream: DnsAddress): Promise<DnsCounter> {
  const counted = new Map<string, QuestionCount>();
  const count = (query: Buffer): void => {
    const { name = '', type = '' } = decode(query).questions?.[0] ?? {};
    const key = `${type} ${name.toLowerCase()}`;
    const known = counted.get(key) ?? { name: name.toLowerCase(), type, count: 0 };
    counted.set(key, { ...known, count: known.count + 1 });
  };
  const stopUdp = await relayUdp(listen, upstream, count);
  const stopTcp = await relayTcp(listen, upstream, count);
  return {
    ...listen,
    counts: () => [...counted.values()].sort((a, b) => b.count - a.count),
    total: () => [...counted.values()].reduce((sum, one) => sum + one.count, 0),
    reset: () => counted.clear(),
    async stop() {
      await Promise.all([stopUdp(), stopTcp()]);
    },
  };
}

/** Sends every query under an id of its own, because two askers can use the same id. */
async function relayUdp(listen: DnsAddress, upstream: DnsAddress, count: (query: Buffer) => void) {
  const outside = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  const inside = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  const askers = new Map<number, { id: number; from: RemoteInfo }>();
  let last = 0;
  outside.on('message', (query, from) => {
    count(query);
    last = (last + 1) % 65_536;
    askers.set(last, { id: query.readUInt16BE(0), from });
    query.writeUInt16BE(last, 0);
    inside.send(query, upstream.port, upstream.address);
  });
  inside.on('message', (reply) => {
    const key = reply.readUInt16BE(0);
    const asker = askers.get(key);
    askers.delete(key);
    if (asker === undefined) return;
    reply.writeUInt16BE(asker.id, 0);
    outside.send(reply, asker.from.port, asker.from.address);
  });
  outside.bind(listen.port, listen.address);
  inside.bind(0, listen.address);
  const sockets = [outside, inside];
  await Promise.all(sockets.map((socket) => once(socket, 'listening')));
  return async () => {
    await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.close(() => done()))));
  };
}

/** Our resolver sends one query in a connection, and its length and bytes arrive together. */
async function relayTcp(listen: DnsAddress, upstream: DnsAddress, count: (query: Buffer) => void) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    client.once('data', (data: Buffer) => count(data.subarray(2)));
    const inside = connect(upstream.port, upstream.address);
    client.pipe(inside).pipe(client);
    for (const socket of [client, inside]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        inside.destroy();
      });
    }
  });
  await once(server.listen(listen.port, listen.address), 'listening');
  return async () => {
    server.close();
    for (const socket of open) socket.destroy();
    await once(server, 'close');
  };
}
