import type { ClientRequest } from 'node:http';
import { once } from 'node:events';
import type { FeedClient } from './client.ts';
import type { EdgeLine } from './edge-message.ts';

const END_LIMIT_MS = 1_000;

/** Sends an edge's messages about one stream, as lines of one long request: a request for each would cost far more. */
export class Messages {
  private readonly request: ClientRequest;
  private readonly stream: string;

  private constructor(request: ClientRequest, stream: string) {
    this.request = request;
    this.stream = stream;
  }

  static async open(client: FeedClient, stream: string, fail: (error: unknown) => void): Promise<Messages> {
    return new Messages(await client.upload('/edge/acks', fail), stream);
  }

  send(message: Omit<EdgeLine, 'stream'>): void {
    if (!this.request.destroyed) this.request.write(`${JSON.stringify({ stream: this.stream, ...message })}\n`);
  }

  /** Reports that the copy is no longer used, so that no request waits for it. */
  async end(): Promise<void> {
    this.send({ ends: true });
    this.request.end();
    await once(this.request, 'close', { signal: AbortSignal.timeout(END_LIMIT_MS) }).catch(() => undefined);
  }

  close(): void {
    this.request.destroy();
  }
}
