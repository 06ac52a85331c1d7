import { once } from 'node:events';
import { connect, createServer, isIP, type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { isServed, type Admittance } from '../domain/edge/admission.ts';
import { destinationOf } from '../domain/edge/own-route.ts';
import { wildcardAbove } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import type { Origin } from './origins.ts';

/** The edge dials within milliseconds of the answer that names the relay. */
const DIALLED_WITHIN_MS = 5_000;
const DIAL_LIMIT_MS = 3_000;
/** Each relay takes a port and two connections. */
const MOST_OPEN = 10_000;

interface Relay {
  hostname: string;
  originUrl: string;
  close: () => void;
}

/**
 * Relays for upgraded requests (websockets). The edge cannot end a single stream, so it dials a relay, which dials the
 * origin. The relay closes before a change that ends the hostname or moves its origin is acknowledged.
 */
export class StreamRelays {
  private readonly admissions: Admissions;
  private readonly open = new Set<Relay>();

  constructor(admissions: Admissions) {
    this.admissions = admissions;
    admissions.onChange((hostnames) => this.judgeAgain(hostnames));
  }

  /** Returns the address of a relay for one connection, on the address at which the edge reached us. */
  async to(hostname: string, originUrl: string, origin: Origin, listenOn: string): Promise<string> {
    if (this.open.size >= MOST_OPEN) throw new Error('There are too many streams.');
    const server = createServer({ allowHalfOpen: true });
    server.listen({ host: listenOn, port: 0 });
    await once(server, 'listening');
    const sockets = new Set<Socket>();
    const relay: Relay = {
      hostname,
      originUrl,
      close: () => {
        server.close();
        for (const socket of sockets) socket.destroy();
        this.open.delete(relay);
      },
    };
    this.open.add(relay);
    const unused = setTimeout(relay.close, DIALLED_WITHIN_MS);
    server.on('close', () => clearTimeout(unused)).on('error', relay.close);
    acceptOne(server, (accepted) => {
      clearTimeout(unused);
      sockets.add(accepted).add(pass(accepted, origin, () => relay.close()));
    });
    // The hostname may have been archived while the origin's address was resolved.
    this.judgeAgain(new Set([hostname]));
    if (!this.open.has(relay)) throw new Error(`${hostname} is not served any more.`);
    const { address, family, port } = server.address() as AddressInfo;
    return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  stop(): Promise<void> {
    for (const relay of this.open) relay.close();
    return Promise.resolve();
  }

  /** Null means every hostname: an origin has changed, or the table was reloaded. */
  private judgeAgain(hostnames: ReadonlySet<string> | null): void {
    for (const relay of this.open) {
      if (hostnames !== null && !hostnames.has(relay.hostname) && !hostnames.has(wildcardAbove(relay.hostname)))
        continue;
      const now = this.admissions.lookup(relay.hostname);
      if (!(now instanceof Promise) && !isServedBy(relay, now)) relay.close();
    }
  }
}

function isServedBy({ originUrl }: Relay, now: Admittance): boolean {
  const destination = destinationOf(now);
  return isServed(now.standing) && destination.kind === 'origin' && destination.url === originUrl;
}

/** Accepts one connection only. The edge pools by address, so the port stays in use while the connection lives. */
function acceptOne(server: Server, take: (socket: Socket) => void): void {
  let isTaken = false;
  server.on('connection', (socket) => {
    if (isTaken) {
      socket.destroy();
      return;
    }
    isTaken = true;
    take(socket);
  });
}

/** Copies bytes in both directions until both ends have closed. */
function pass(accepted: Socket, origin: Origin, onEnd: () => void): Socket {
  const dialled = dial(origin);
  dialled.once('timeout', () => dialled.destroy());
  dialled.once('connect', () => dialled.setTimeout(0));
  for (const socket of [accepted, dialled]) socket.setNoDelay(true).setKeepAlive(true, 60_000);
  let directions = 2;
  const onDirection = (error?: Error | null) => {
    if (error || --directions === 0) onEnd();
  };
  pipeline(accepted, dialled, onDirection);
  pipeline(dialled, accepted, onDirection);
  return dialled;
}

/** Dials the checked addresses in order, without a DNS query. */
function dial({ addresses, port, name }: Origin): Socket {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, _options, callback) => callback(null, checked);
  const [address, another] = addresses;
  const way = another === undefined ? { host: address } : { host: name, lookup, autoSelectFamily: true };
  return connect({ ...way, port, allowHalfOpen: true, timeout: DIAL_LIMIT_MS });
}
