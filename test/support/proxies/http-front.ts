import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Asked {
  method: string;
  path: string;
}

export interface Exchange extends Asked {
  body: string;
  isAnswered: boolean;
}

/** A proxy in front of a provider's HTTP API that forwards every request, unless a test changes that. */
export interface HttpFront {
  url: string;
  /** Returns the status of a refusal, or undefined to forward the request. */
  refuse: ((asked: Asked) => number | undefined) | undefined;
  /** Awaited before a request is passed on, and before its answer is. If it throws, the connection is closed. */
  intercept: ((exchange: Exchange) => Promise<void>) | undefined;
  /** Whether requests are accepted and never answered. */
  stayingSilent: boolean;
  /** Holds writes back and closes their connections. `passOn` delivers them later. */
  holdWrites(): { passOn(): Promise<void> };
  stop(): Promise<void>;
}

interface Options {
  /** Passes one write on at a time, because the SQLite database of the lab's PowerDNS refuses a write during another. */
  writesInTurn?: boolean;
}

export async function startHttpFront(target: string, { writesInTurn = false }: Options = {}): Promise<HttpFront> {
  let heldBack: (() => Promise<unknown>)[] | undefined;
  let written: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '' } = request;
    const body = await buffer(request);
    if (front.stayingSilent) return;
    const refused = front.refuse?.({ method, path });
    if (refused !== undefined) {
      response.writeHead(refused).end();
      return;
    }
    const headers = { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' };
    const send = () => fetch(target + path, { method, headers, ...(body.length > 0 ? { body } : {}) });
    if (heldBack && method !== 'GET') {
      heldBack.push(send);
      response.destroy();
      return;
    }
    const exchange = { method, path, body: body.toString() };
    await front.intercept?.({ ...exchange, isAnswered: false });
    const sent = writesInTurn && method !== 'GET' ? written.then(send) : send();
    written = Promise.allSettled([written, sent]);
    const answer = await sent;
    await front.intercept?.({ ...exchange, isAnswered: true });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const front: HttpFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: undefined,
    intercept: undefined,
    stayingSilent: false,
    holdWrites() {
      const kept: (() => Promise<unknown>)[] = [];
      heldBack = kept;
      return {
        async passOn() {
          heldBack = undefined;
          for (const send of kept) await send();
        },
      };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return front;
}
