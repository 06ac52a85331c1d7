import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answerer, Question, Reply } from './question.ts';

export interface BareListener {
  port: number;
  stop(): Promise<void>;
}

const MAX_HEAD = 16 * 1_024;
/** Caddy keeps idle connections for two minutes. */
const IDLE_MS = 180_000;
const STOP_LIMIT_MS = 10_000;
const STOP_POLL_MS = 20;

/**
 * Answers the edge's questions on a bare socket. It speaks the HTTP/1.1 of requests without a body, which costs a
 * fraction of node:http, and each request of a visitor waits for it. Everything else is refused with 400.
 */
export async function listenBare(answer: Answerer, host: string, port: number): Promise<BareListener> {
  const open = new Set<Conversation>();
  const server = createServer({ noDelay: true }, (socket) => {
    const conversation = new Conversation(socket, answer);
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
class Conversation implements Reply {
  private readonly socket: Socket;
  private readonly answer: Answerer;
  private pending = '';
  private isBusy = false;
  private isLast = false;
  private isHead = false;
  private status = 200;
  private headers: Readonly<Record<string, string | number>> = {};

  constructor(socket: Socket, answer: Answerer) {
    this.socket = socket;
    this.answer = answer;
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      this.pending += chunk.toString('latin1');
      if (this.pending.length > MAX_HEAD) socket.destroy();
      else this.next();
    });
  }

  /** Ends the connection if no request is in progress; otherwise after its response. */
  endWhenIdle(): void {
    this.isLast = true;
    if (!this.isBusy) this.socket.end();
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
      const question = questionIn(head, this.socket);
      if (question === undefined) {
        this.isLast = true;
        this.writeHead(400).end();
        return;
      }
      this.isHead = question.method === 'HEAD';
      this.isLast ||= question.isLast;
      this.answer(question, this);
    }
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    this.status = status;
    this.headers = headers;
    return this;
  }

  end(body = ''): void {
    let text = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status] ?? ''}\r\n`;
    for (const name in this.headers) if (name !== 'content-length') text += `${name}: ${this.headers[name] ?? ''}\r\n`;
    if (this.status !== 204) text += `content-length: ${Buffer.byteLength(body)}\r\n`;
    if (this.isLast) text += 'connection: close\r\n';
    this.socket.write(`${text}\r\n${this.isHead ? '' : body}`);
    if (this.isLast) {
      this.socket.end();
      return;
    }
    this.isBusy = false;
    if (this.pending !== '') this.next();
  }
}

const REQUEST_LINE = /^(GET|HEAD) (\/\S*) HTTP\/1\.([01])$/;
const HAS_BODY = /\r\n(?:content-length: *[^0\s]|transfer-encoding:|expect:|upgrade:)/i;
const CLOSES = /\r\nconnection: *close/i;
const LANGUAGE = /\r\naccept-language: *([^\r]*)/i;

/** Reads a request; undefined if it is not one without a body. */
function questionIn(head: string, socket: Socket): (Question & { isLast: boolean }) | undefined {
  const endOfLine = head.indexOf('\r\n');
  const [, method, url, minor] = REQUEST_LINE.exec(endOfLine < 0 ? head : head.slice(0, endOfLine)) ?? [];
  if (url === undefined || HAS_BODY.test(head)) return undefined;
  return {
    method,
    url,
    socket,
    isLast: minor === '0' || CLOSES.test(head),
    get headers() {
      return { 'accept-language': LANGUAGE.exec(head)?.[1] };
    },
  };
}
