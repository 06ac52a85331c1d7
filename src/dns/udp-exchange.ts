import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import { answersQuery, disguise } from './message.ts';
import type { createRandomPool } from './random-pool.ts';

/** Sends one datagram and waits for the one that answers it. */
export interface UdpExchange {
  /** Takes the query over: gives it an id and a spelling of its own. */
  send(endpoint: Endpoint, query: Buffer, limit: { ms: number; signal: AbortSignal }): Promise<UdpReply>;
  close(): void;
}

/** `other_case`: the only answer had our id but not our spelling, so either a careless server or a forger sent it. */
export type UdpReply = { kind: 'reply'; bytes: Buffer } | { kind: 'timeout' | 'unreachable' | 'other_case' };

interface Pending {
  query: Buffer;
  otherCase: boolean;
  settle: (reply: UdpReply) => void;
}

/** One connected socket: the kernel drops datagrams from any other sender than the server, and picks a random source port. */
interface Lane {
  socket: Socket;
  pending: Map<number, Pending>;
  used: number;
  connected: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** After this many queries a lane gives way to one with another source port, so that a guesser has to start anew. */
const QUERIES_PER_LANE = 256;
const IDLE_MS = 1_000;

export function createUdpExchange(random: ReturnType<typeof createRandomPool>): UdpExchange {
  /** The lane that takes new queries, per server; and every lane that is still open. */
  const current = new Map<string, Lane>();
  const open = new Set<Lane>();
  const aborts = createAborts();

  function laneTo(endpoint: Endpoint): Lane {
    const key = `${endpoint.address} ${endpoint.port}`;
    const known = current.get(key);
    if (known && known.used < QUERIES_PER_LANE) return known;
    const lane = openLane(endpoint);
    current.set(key, lane);
    open.add(lane);
    lane.socket.on('close', () => {
      open.delete(lane);
      if (current.get(key) === lane) current.delete(key);
    });
    return lane;
  }

  return {
    send(endpoint, query, { ms, signal }) {
      if (signal.aborted) return Promise.resolve({ kind: 'timeout' });
      const lane = laneTo(endpoint);
      lane.used += 1;
      let id = random.uint16();
      while (lane.pending.has(id)) id = random.uint16();
      disguise(query, id, random.byte);
      return new Promise((resolve) => {
        const pending: Pending = { query, otherCase: false, settle };
        const expire = () => settle({ kind: pending.otherCase ? 'other_case' : 'timeout' });
        const timer = setTimeout(expire, ms);
        aborts.add(signal, expire);
        lane.pending.set(id, pending);
        if (lane.connected) lane.socket.send(query);

        function settle(reply: UdpReply): void {
          clearTimeout(timer);
          aborts.remove(signal, expire);
          lane.pending.delete(id);
          if (lane.pending.size === 0) rest(lane);
          resolve(reply);
        }
      });
    },
    close() {
      for (const lane of open) shut(lane);
    },
  };
}

function openLane(endpoint: Endpoint): Lane {
  const socket = createSocket(isIPv6(endpoint.address) ? 'udp6' : 'udp4');
  const lane: Lane = { socket, pending: new Map(), used: 0, connected: false, idle: undefined };
  socket.on('message', (bytes) => receive(lane, bytes));
  // ICMP says that no program listens there, or the host has no route: nothing on this socket can be answered any more.
  socket.on('error', () => shut(lane));
  socket.on('connect', () => {
    lane.connected = true;
    for (const { query } of lane.pending.values()) socket.send(query);
  });
  socket.connect(endpoint.port, endpoint.address);
  return lane;
}

function receive(lane: Lane, bytes: Buffer): void {
  const pending = bytes.length >= 2 ? lane.pending.get(bytes.readUInt16BE(0)) : undefined;
  if (!pending) return;
  const fits = answersQuery(bytes, pending.query);
  if (fits === 'yes') pending.settle({ kind: 'reply', bytes });
  // Not an answer yet: a forger's guess must not end the wait for the true one.
  if (fits === 'other_case') pending.otherCase = true;
}

/** Closes a lane that no query uses; a moment's grace lets the next query of the same observation go the same way. */
function rest(lane: Lane): void {
  if (lane.used >= QUERIES_PER_LANE) shut(lane);
  else if (lane.idle) lane.idle.refresh();
  else lane.idle = setTimeout(() => lane.pending.size === 0 && shut(lane), IDLE_MS).unref();
}

/** A lane that is shut takes no new queries, also before its close event arrives, and answers none that wait. */
function shut(lane: Lane): void {
  if (lane.used === Infinity) return;
  lane.used = Infinity;
  if (lane.idle) clearTimeout(lane.idle);
  lane.socket.close();
  for (const { settle } of [...lane.pending.values()]) settle({ kind: 'unreachable' });
}

/** One listener per signal, however many queries wait under it: an observation asks dozens, and listeners are not free. */
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
