import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server as NetServer, type Socket } from 'node:net';
import { LARGEST_QUESTION } from '../edge/question.ts';
import { STATUS_OF, type ErrorCode } from '../domain/errors.ts';
import { listenTogether, portOf } from './acceptors.ts';
import { holdLargeBody, limitUnreadBody } from './unread-body.ts';

/** An HTTP server that can stop without resetting requests in progress. */
export interface Listener {
  port: number;
  stop(): Promise<void>;
}

export class PortTaken extends Error {
  constructor(port: number, setting = 'PORT') {
    super(`Port ${port} is taken by another program. Set ${setting}, or stop it.`);
    this.name = 'PortTaken';
  }
}

/** Returns the error of a listener, in words if its port is taken. */
export function portTaken(error: unknown, port: number, setting: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return 'code' in error && error.code === 'EADDRINUSE' ? new PortTaken(port, setting) : error;
}

/** Time without a request after which a client counts as idle. */
const IDLE_AFTER_MS = 500;
/** Bytes of a body that Node buffers before a handler reads it. Less than a chunk, so Node buffers only one chunk. */
const BUFFERED_BYTES = 16_384;
/** Length of a turn of the event loop in which hardly any connection can arrive unseen. */
const SHORT_TURN_MS = 0.2;
/** Maximum number of turns that `stop` waits for such a turn. */
const ACCEPT_TURNS = 1_000;
/** Time after which `stop` closes all remaining connections. */
const STOP_LIMIT_MS = 10_000;

/** Largest request line and headers. The internal listener also gets questions of the edge. */
const MAX_HEAD = { public: 16_384, internal: LARGEST_QUESTION };

export async function listen(
  handler: RequestListener,
  { host, port, setting, kind }: { host: string; port: number; setting: string; kind: keyof typeof MAX_HEAD },
): Promise<Listener> {
  const server = createServer({ highWaterMark: BUFFERED_BYTES, maxHeaderSize: MAX_HEAD[kind] });
  const connections = new Connections(server);
  server.on('request', handler);
  server.on('clientError', refuseUnreadable);
  try {
    const acceptors = await listenTogether(server, { host, port, highWaterMark: BUFFERED_BYTES });
    return { port: portOf(server), stop: () => connections.stop(acceptors) };
  } catch (error) {
    throw portTaken(error, port, setting);
  }
}

interface Connection {
  responses: Set<ServerResponse>;
  idleSince: number;
}

/** Tracks a server's connections, because Node's `close` cuts off idle clients and waits forever for busy ones. */
class Connections {
  private readonly server: Server;
  private readonly open = new Map<Socket, Connection>();
  private isStopping = false;
  private accepted = 0;

  constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.open.set(socket, { responses: new Set(), idleSince: performance.now() });
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', (request, response) => {
      this.begin(request.socket, response);
      holdLargeBody(request);
      response.once('finish', () => limitUnreadBody(request));
    });
  }

  private begin(socket: Socket, response: ServerResponse): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    connection.responses.add(response);
    if (this.isStopping) response.setHeader('connection', 'close');
    response.once('close', () => {
      connection.responses.delete(response);
      connection.idleSince = performance.now();
      if (this.isStopping) this.closeOnceIdle(socket, connection);
    });
  }

  async stop(acceptors: readonly NetServer[]): Promise<void> {
    this.isStopping = true;
    await this.acceptWaiting();
    // net's `close`, because http's cuts off clients between two requests.
    const closed = Promise.all(
      acceptors.map(
        (each) => new Promise<void>((resolve) => void NetServer.prototype.close.call(each, () => resolve())),
      ),
    );
    for (const [socket, connection] of this.open) {
      for (const response of connection.responses) if (!response.headersSent) response.setHeader('connection', 'close');
      this.closeOnceIdle(socket, connection);
    }
    const limit = setTimeout(() => {
      for (const socket of this.open.keys()) socket.destroy();
    }, STOP_LIMIT_MS);
    await closed;
    clearTimeout(limit);
    this.server.close(() => undefined); // ends http's own timer
  }

  /**
   * Waits for a short turn of the event loop in which no connection arrived, so that hardly any can wait. The kernel
   * completes connections before we accept them, and resets those that wait when the listener closes: a proxy has then
   * sent a request that it cannot repeat.
   */
  private async acceptWaiting(): Promise<void> {
    await nextTurn(); // the rest of a turn that has begun asks the kernel for nothing
    for (let turn = 0; turn < ACCEPT_TURNS; turn++) {
      const [before, began] = [this.accepted, performance.now()];
      await nextTurn();
      if (this.accepted === before && performance.now() - began < SHORT_TURN_MS) return;
    }
  }

  private closeOnceIdle(socket: Socket, connection: Connection): void {
    if (connection.responses.size > 0) return;
    const idleAt = connection.idleSince + IDLE_AFTER_MS;
    const wait = setTimeout(
      () => {
        if (connection.responses.size === 0 && performance.now() >= connection.idleSince + IDLE_AFTER_MS)
          socket.destroy();
      },
      Math.max(0, idleAt - performance.now() + 1),
    );
    socket.once('close', () => clearTimeout(wait));
  }
}

const UNREADABLE: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are larger than 16 kB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The chunk extensions are larger than 16 kB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const REASON: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'Request Header Fields Too Large',
  payload_too_large: 'Payload Too Large',
  request_timeout: 'Request Timeout',
  invalid: 'Bad Request',
};

/** Answers invalid HTTP, which reaches no handler, in the same format as other errors. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [code, message] = UNREADABLE[error.code ?? ''] ?? ['invalid', 'This is not a valid HTTP request.'];
  const details = code === 'invalid' ? [{ path: 'request', code: 'http', message }] : null;
  const body = JSON.stringify({ error: { code, message, details } });
  socket.end(
    [
      `HTTP/1.1 ${STATUS_OF[code]} ${REASON[code] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
