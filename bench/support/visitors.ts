import { Resolver } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Visitors of one site: half open a connection for each request, half keep theirs. */
export interface Visitors {
  /** Requests by the server that answered. */
  answered: Map<string, number>;
  /** Failures by kind. */
  failures: Map<string, number>;
  /** Ends them, and waits for their last answers. */
  stop(): Promise<void>;
}

interface Site {
  hostname: string;
  port: number;
  /** Root certificates that the visitors trust. */
  ca: string[];
  /** The resolver of the visitors. */
  dns: { address: string; port: number };
}

const LIMIT_MS = 10_000;
const add = (counts: Map<string, number>, kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);

/** Returns a lookup through the given resolver, for each connection anew: it caches, and the visitors do not. */
function lookupAt({ address, port }: Site['dns']): LookupFunction {
  const resolver = new Resolver();
  resolver.setServers([`${address}:${port}`]);
  return (hostname, options, done) =>
    void resolver.resolve4(hostname).then(
      ([first = '']) => (options.all ? done(null, [{ address: first, family: 4 }]) : done(null, first, 4)),
      (error: unknown) => done(error as NodeJS.ErrnoException, '', 4),
    );
}

/** Sends requests at a steady rate, whether earlier ones were answered or not. */
export function startVisitors(site: Site, perSecond: number): Visitors {
  const lookup = lookupAt(site.dns);
  const kept = new Agent({ keepAlive: true, maxSockets: 4 });
  const [answered, failures] = [new Map<string, number>(), new Map<string, number>()];
  const underWay = new Set<Promise<void>>();
  const visit = (n: number): Promise<void> =>
    new Promise((resolve) => {
      let isSecure = false;
      const fail = (error: NodeJS.ErrnoException): void => {
        add(failures, `${isSecure ? 'request' : 'handshake'} (${error.code ?? error.message})`);
        resolve();
      };
      const asked = request({
        host: site.hostname,
        port: site.port,
        ca: site.ca,
        lookup,
        agent: n % 2 === 0 ? kept : false,
        timeout: LIMIT_MS,
      });
      asked.on('socket', (socket) => {
        isSecure = asked.reusedSocket;
        if (!isSecure) socket.once('secureConnect', () => (isSecure = true));
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', fail);
      asked.on('response', (response: IncomingMessage) => {
        response.toArray().then((chunks: Buffer[]) => {
          if (response.statusCode === 200) add(answered, Buffer.concat(chunks).toString());
          else add(failures, `status ${response.statusCode}`);
          resolve();
        }, fail);
      });
      asked.end();
    });
  const over = new AbortController();
  const running = (async () => {
    const began = performance.now();
    for (let n = 0; !over.signal.aborted; n++) {
      const one = visit(n);
      underWay.add(one);
      void one.finally(() => underWay.delete(one));
      await pause(Math.max(0, began + ((n + 1) * 1_000) / perSecond - performance.now()));
    }
  })();
  return {
    answered,
    failures,
    async stop() {
      over.abort();
      await running;
      await Promise.all(underWay);
      kept.destroy();
    },
  };
}
