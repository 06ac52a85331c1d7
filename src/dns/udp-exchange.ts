import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import { answersQuery, randomize } from './message.ts';
import type { createRandomPool } from './random-pool.ts';

export interface UdpExchange {
  /**
   * Sends the query with a random id and random letter case in its name (0x20 encoding), both of which an attacker
   * would have to guess. Overwrites the buffer.
   */
  send(endpoint: Endpoint, query: Buffer, limit: { ms: number; signal: AbortSignal }): Promise<UdpReply>;
  close(): void;
}

/** `other_case`: the only reply, from a careless server or an attacker, had our id but not our letter case. */
export type UdpReply = { kind: 'reply'; bytes: Buffer } | { kind: 'timeout' | 'unreachable' | 'other_case' };

interface Pending {
  query: Buffer;
  otherCase: boolean;
  settle: (reply: UdpReply) => void;
}

/** A connected socket. The kernel drops datagrams from other senders and picks a random source port. */
interface Channel {
  socket: Socket;
  pending: Map<number, Pending>;
  /** Number of queries so far; Infinity once the channel is closed. */
  used: number;
  connected: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** Queries before a socket is replaced by one with another source port, so that an attacker must guess anew. */
const QUERIES_PER_CHANNEL = 256;
const IDLE_MS = 1_000;

export function createUdpExchange(random: ReturnType<typeof createRandomPool>): UdpExchange {
  /** Channel for new queries, by server. */
  const current = new Map<string, Channel>();
  const open = new Set<Channel>();
  const aborts = createAborts();

  function channelTo(endpoint: Endpoint): Channel {
    const key = `${endpoint.address} ${endpoint.port}`;
    const known = current.get(key);
    if (known && known.used < QUERIES_PER_CHANNEL) return known;
    const channel = openChannel(endpoint);
    current.set(key, channel);
    open.add(channel);
    channel.socket.on('close', () => {
      open.delete(channel);
      if (current.get(key) === channel) current.delete(key);
    });
    return channel;
  }

  return {
    send(endpoint, query, { ms, signal }) {
      if (signal.aborted) return Promise.resolve({ kind: 'timeout' });
      const channel = channelTo(endpoint);
      channel.used += 1;
      let id = random.uint16();
      while (channel.pending.has(id)) id = random.uint16();
      randomize(query, id, random.byte);
      return new Promise((resolve) => {
        const pending: Pending = { query, otherCase: false, settle };
        const expire = () => settle({ kind: pending.otherCase ? 'other_case' : 'timeout' });
        const timer = setTimeout(expire, ms);
        aborts.add(signal, expire);
        channel.pending.set(id, pending);
        if (channel.connected) channel.socket.send(query);

        function settle(reply: UdpReply): void {
          clearTimeout(timer);
          aborts.remove(signal, expire);
          channel.pending.delete(id);
          if (channel.pending.size === 0) closeWhenIdle(channel);
          resolve(reply);
        }
      });
    },
    close() {
      for (const channel of open) closeNow(channel);
    },
  };
}

function openChannel(endpoint: Endpoint): Channel {
  const socket = createSocket(isIPv6(endpoint.address) ? 'udp6' : 'udp4');
  const channel: Channel = { socket, pending: new Map(), used: 0, connected: false, idle: undefined };
  socket.on('message', (bytes) => receive(channel, bytes));
  // ICMP reports that no program listens or that there is no route, so this socket will receive no more answers.
  socket.on('error', () => closeNow(channel));
  socket.on('connect', () => {
    channel.connected = true;
    for (const { query } of channel.pending.values()) socket.send(query);
  });
  socket.connect(endpoint.port, endpoint.address);
  return channel;
}

function receive(channel: Channel, bytes: Buffer): void {
  const pending = bytes.length >= 2 ? channel.pending.get(bytes.readUInt16BE(0)) : undefined;
  if (!pending) return;
  const fits = answersQuery(bytes, pending.query);
  if (fits === 'yes') pending.settle({ kind: 'reply', bytes });
  // A reply in other letter case may be an attacker's guess, so the wait for the real reply continues.
  if (fits === 'other_case') pending.otherCase = true;
}

/** Closes an unused channel after a short time, so that the next query of the same check can use it. */
function closeWhenIdle(channel: Channel): void {
  if (channel.used >= QUERIES_PER_CHANNEL) closeNow(channel);
  else if (channel.idle) channel.idle.refresh();
  else channel.idle = setTimeout(() => channel.pending.size === 0 && closeNow(channel), IDLE_MS).unref();
}

/** Closes a channel, which then accepts no new queries, even before its close event. Waiting queries fail. */
function closeNow(channel: Channel): void {
  if (channel.used === Infinity) return;
  channel.used = Infinity;
  if (channel.idle) clearTimeout(channel.idle);
  channel.socket.close();
  for (const { settle } of [...channel.pending.values()]) settle({ kind: 'unreachable' });
}

/** Registers one listener per signal for all its queries: a check sends dozens, and listeners are expensive. */
function createAborts() {
  const waiting = new WeakMap<AbortSignal, Set<() => void>>();
  function listen(signal: AbortSignal): Set<() => void> {
    const callbacks = new Set<() => void>();
    waiting.set(signal, callbacks);
    signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()), { once: true });
    return callbacks;
  }
  return {
    add: (signal: AbortSignal, callback: () => void) => void (waiting.get(signal) ?? listen(signal)).add(callback),
    remove: (signal: AbortSignal, callback: () => void) => void waiting.get(signal)?.delete(callback),
  };
}
