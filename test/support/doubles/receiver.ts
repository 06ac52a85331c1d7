import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebhookEvent } from '../../../client/webhooks.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
  event: WebhookEvent;
  /** Whether one of the receiver's secrets of that time signed the request, by the published recipe. */
  isGenuine: boolean;
  at: number;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A tenant's receiver on this machine, which verifies requests as documented, on the received bytes. */
export class Receiver {
  readonly received: Received[] = [];
  /** Set after the endpoint is created. */
  secrets: string[] = [];
  answer: Answer = (response) => response.writeHead(204).end();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void buffer(request).then((body) => {
        const received = {
          headers: request.headers,
          body,
          event: JSON.parse(body.toString()) as WebhookEvent,
          isGenuine: this.secrets.some((secret) => isGenuine(secret, request.headers, body)),
          at: Date.now(),
        };
        this.received.push(received);
        this.answer(response, received);
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`;
  }

  get types(): string[] {
    return this.received.map(({ event }) => event.type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function isGenuine(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = String(headers['x-svc-timestamp']);
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const wanted = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const given = Buffer.from(String(headers['x-svc-signature']));
  return given.length === 71 && timingSafeEqual(given, Buffer.from(`sha256=${wanted}`));
}
