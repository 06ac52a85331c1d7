import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { listenBare, type BareListener, type Write } from './bare-listener.ts';
import type { Answerer, Question, QuestionHeader, Reply } from './question.ts';

/**
 * Listens for the edge's questions, which are GET and HEAD requests of HTTP/1.1 without a body. Everything else is
 * refused with 400.
 */
export const listenForQuestions = (answer: Answerer, host: string, port: number): Promise<BareListener> =>
  listenBare(
    (socket) => (head, write) => {
      const question = questionIn(head, socket);
      if (question === undefined) new BareReply(socket, write, { isHead: false, isLast: true }).writeHead(400).end();
      else answer(question, new BareReply(socket, write, question));
    },
    host,
    port,
  );

class BareReply implements Reply {
  private readonly socket: Socket;
  private readonly write: Write;
  private readonly asked: { isHead: boolean; isLast: boolean };
  private status = 200;
  private headers: Readonly<Record<string, string | number>> = {};

  constructor(socket: Socket, write: Write, asked: { isHead: boolean; isLast: boolean }) {
    this.socket = socket;
    this.write = write;
    this.asked = asked;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    this.status = status;
    this.headers = headers;
    return this;
  }

  end(body = ''): void {
    const { isHead, isLast } = this.asked;
    let text = this.head();
    if (this.status !== 204) text += `content-length: ${Buffer.byteLength(body)}\r\n`;
    if (isLast) text += 'connection: close\r\n';
    this.write(`${text}\r\n${isHead ? '' : body}`, isLast ? 'end' : 'continue');
  }

  /** A response without a length lasts until its connection closes (RFC 9112 section 6.3). */
  hold(headers: Readonly<Record<string, string | number>>, onEnd: () => void): void {
    this.writeHead(200, headers);
    if (this.socket.destroyed) onEnd();
    else this.socket.once('close', onEnd);
    this.write(`${this.head()}connection: close\r\n\r\n`, 'hold');
  }

  private head(): string {
    let text = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status] ?? ''}\r\n`;
    for (const name in this.headers) if (name !== 'content-length') text += `${name}: ${this.headers[name] ?? ''}\r\n`;
    return text;
  }
}

const REQUEST_LINE = /^(GET|HEAD) (\/\S*) HTTP\/1\.([01])$/;
const HAS_BODY = /\r\n(?:content-length: *[^0\s]|transfer-encoding:|expect:|upgrade:)/i;
const CLOSES = /\r\nconnection: *close/i;
const PATTERNS: Readonly<Record<QuestionHeader, RegExp>> = {
  'accept-language': /\r\naccept-language: *([^\r]*)/i,
  'x-forwarded-method': /\r\nx-forwarded-method: *([^\r]*)/i,
  'x-forwarded-uri': /\r\nx-forwarded-uri: *([^\r]*)/i,
  'x-request-id': /\r\nx-request-id: *([^\r]*)/i,
};

/** The headers of a question, each read when it is needed: most answers need none. */
class Headers {
  private readonly head: string;

  constructor(head: string) {
    this.head = head;
  }

  get 'accept-language'(): string | undefined {
    return this.find('accept-language');
  }

  get 'x-forwarded-method'(): string | undefined {
    return this.find('x-forwarded-method');
  }

  get 'x-forwarded-uri'(): string | undefined {
    return this.find('x-forwarded-uri');
  }

  get 'x-request-id'(): string | undefined {
    return this.find('x-request-id');
  }

  private find(name: QuestionHeader): string | undefined {
    return PATTERNS[name].exec(this.head)?.[1];
  }
}

/** Reads a request; undefined if it is not one without a body. */
function questionIn(head: string, socket: Socket): (Question & { isHead: boolean; isLast: boolean }) | undefined {
  const endOfLine = head.indexOf('\r\n');
  const [, method, url, minor] = REQUEST_LINE.exec(endOfLine < 0 ? head : head.slice(0, endOfLine)) ?? [];
  if (url === undefined || HAS_BODY.test(head)) return undefined;
  return {
    method,
    url,
    socket,
    isHead: method === 'HEAD',
    isLast: minor === '0' || CLOSES.test(head),
    get headers() {
      return new Headers(head);
    },
  };
}
