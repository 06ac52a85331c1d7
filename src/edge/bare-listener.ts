import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { LARGEST_QUESTION } from './question.ts';

export interface BareListener {
  port: number;
  stop(): Promise<void>;
}

/**
 * Writes the response to the current request. `then` is what becomes of the connection: the next request, its end, or
 * nothing until the client closes it.
 */
export type Write = (response: Buffer | string, then: 'continue' | 'end' | 'hold') => void;

/** Answers the head of a request: its request line and headers, without the empty line. */
export type AnswerHead = (head: string, write: Write) => void;

/** Caddy keeps idle connections for two minutes. */
const IDLE_MS = 180_000;
const STOP_LIMIT_MS = 10_000;
const STOP_POLL_MS = 20;

/**
 * Listens for requests without a body on a bare socket, which costs a fraction of node:http: Caddy waits for an answer
 * at each handshake and each request. `answerOf` is called once for each connection.
 */
export async function listenBare(
  answerOf: (socket: Socket) => AnswerHead,
  host: string,
  port: number,
): Promise<BareListener> {
  const open = new Set<Conversation>();
  const server = createServer({ noDelay: true }, (socket) => {
    const conversation = new Conversation(socket, answerOf(socket));
    open.add(conversation);
    socket.once('close', () => open.delete(conversation));
  });
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      const limit = performance.now() + STOP_LIMIT_MS;
      while (open.size > 0 && performance.now() < limit) {
        for (const conversation of open) conversation.endWhenIdle();
        await pause(STOP_POLL_MS);
      }
      for (const conversation of open) conversation.destroy();
    },
  };
}

/** One connection. Its requests are answered one after another. */
class Conversation {
  private readonly socket: Socket;
  private readonly answer: AnswerHead;
  private pending = '';
  private isBusy = false;
  private isHeld = false;
  private isEnding = false;

  constructor(socket: Socket, answer: AnswerHead) {
    this.socket = socket;
    this.answer = answer;
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      this.pending += chunk.toString('latin1');
      if (this.pending.length > LARGEST_QUESTION) socket.destroy();
      else this.next();
    });
  }

  /** Ends the connection if no request is in progress; otherwise after its response. */
  endWhenIdle(): void {
    this.isEnding = true;
    if (this.isHeld) this.socket.destroy();
    else if (!this.isBusy) this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private next(): void {
    while (!this.isBusy) {
      const end = this.pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.pending.slice(0, end);
      this.pending = this.pending.slice(end + 4);
      this.isBusy = true;
      this.answer(head, this.write);
    }
  }

  private readonly write: Write = (response, then) => {
    this.socket.write(response);
    if (then === 'hold') {
      this.isHeld = true;
      this.socket.setTimeout(0);
      return;
    }
    if (then === 'end' || this.isEnding) {
      this.socket.end();
      return;
    }
    this.isBusy = false;
    if (this.pending !== '') this.next();
  };
}
