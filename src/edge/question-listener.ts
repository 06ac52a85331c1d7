import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { listenBare, type BareListener, type Write } from './bare-listener.ts';
import type { Answerer, Question, Reply } from './question.ts';

/**
 * Listens for the edge's questions, which are GET and HEAD requests of HTTP/1.1 without a body. Everything else is
 * refused with 400.
 */
export const listenForQuestions = (answer: Answerer, host: string, port: number): Promise<BareListener> =>
  listenBare(
    (socket) => (head, write) => {
      const question = questionIn(head, socket);
      if (question === undefined) new BareReply(write, { isHead: false, isLast: true }).writeHead(400).end();
      else answer(question, new BareReply(write, question));
    },
    host,
    port,
  );

class BareReply implements Reply {
  private readonly write: Write;
  private readonly asked: { isHead: boolean; isLast: boolean };
  private status = 200;
  private headers: Readonly<Record<string, string | number>> = {};

  constructor(write: Write, asked: { isHead: boolean; isLast: boolean }) {
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
    let text = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status] ?? ''}\r\n`;
    for (const name in this.headers) if (name !== 'content-length') text += `${name}: ${this.headers[name] ?? ''}\r\n`;
    if (this.status !== 204) text += `content-length: ${Buffer.byteLength(body)}\r\n`;
    if (isLast) text += 'connection: close\r\n';
    this.write(`${text}\r\n${isHead ? '' : body}`, isLast);
  }
}

const REQUEST_LINE = /^(GET|HEAD) (\/\S*) HTTP\/1\.([01])$/;
const HAS_BODY = /\r\n(?:content-length: *[^0\s]|transfer-encoding:|expect:|upgrade:)/i;
const CLOSES = /\r\nconnection: *close/i;
const LANGUAGE = /\r\naccept-language: *([^\r]*)/i;

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
      return { 'accept-language': LANGUAGE.exec(head)?.[1] };
    },
  };
}
