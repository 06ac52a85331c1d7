import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Asked {
  method: string;
  path: string;
}

/** Stands before a provider's HTTP API and passes everything on, unless a test wants it otherwise. */
export interface HttpFront {
  url: string;
  /** The status with which a request is refused; nothing passes it on. */
  refuse: ((asked: Asked) => number | undefined) | undefined;
  /** Takes requests and never answers. */
  stayingSilent: boolean;
  /** Keeps what changes something from the server, and ends its connection; `passOn` then lets it arrive after all. */
  withholdWrites(): { passOn(): Promise<void> };
  stop(): Promise<void>;
}

export async function startHttpFront(target: string): Promise<HttpFront> {
  let withheld: (() => Promise<unknown>)[] | undefined;
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
    if (withheld && method !== 'GET') {
      withheld.push(send);
      response.destroy();
      return;
    }
    const answer = await send();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const front: HttpFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: undefined,
    stayingSilent: false,
    withholdWrites() {
      const kept: (() => Promise<unknown>)[] = [];
      withheld = kept;
      return {
        async passOn() {
          withheld = undefined;
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
