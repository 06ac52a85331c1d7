import type { IncomingMessage, ServerResponse } from 'node:http';

/** Largest unread body that Node reads and discards, so that the client can reuse its connection. */
const DISCARDED_BYTES = 65_536;
/** Time that a client has, after the answer, to finish its body or read the answer. */
const LINGER_MS = 1_000;
/** Maximum number of answered requests with an unread body. Beyond it, the oldest connection is closed. */
const LINGERING = 32;
const lingering = new Map<IncomingMessage, NodeJS.Timeout>();

/**
 * Leaves a large body in the socket until a handler reads it. Otherwise Node reads and discards the body of a refused
 * request, and collecting its buffers pauses the process. `read(0)` makes Node buffer one chunk and wait.
 */
export function holdLargeBody(request: IncomingMessage): void {
  if (!isSmall(request)) request.read(0);
}

/**
 * Closes the connection of a refused request, because reading its body costs more. Closing a socket with unread bytes
 * resets it and may lose the answer, so only our half is closed at first (RFC 9112, 9.6).
 */
export function closeOverUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || isSmall(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node calls `destroySoon` after it has written the answer.
  socket.destroySoon = () => {
    socket.end();
    destroyLater(request);
  };
}

/** Closes the connection of a client that keeps sending its body after the answer. Small bodies arrive immediately. */
export function limitUnreadBody(request: IncomingMessage): void {
  if (!request.complete)
    setImmediate(() => {
      if (!request.complete) destroyLater(request);
    });
}

/** Whether the body is absent or known to be small. The length of a chunked body is unknown. */
const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= DISCARDED_BYTES;

function destroyLater(request: IncomingMessage): void {
  if (lingering.has(request)) return;
  lingering.set(request, setTimeout(() => destroyUnlessComplete(request), LINGER_MS).unref());
  const [oldest] = lingering.keys();
  if (lingering.size > LINGERING && oldest !== undefined) destroyUnlessComplete(oldest);
}

function destroyUnlessComplete(request: IncomingMessage): void {
  clearTimeout(lingering.get(request));
  lingering.delete(request);
  if (request.complete) return;
  const chunk = request.read() as Buffer<ArrayBuffer> | null;
  request.socket.destroy();
  if (chunk !== null) free(chunk);
}

/** Frees the memory of a chunk immediately. In a flood, garbage collection of the chunks would pause the process often. */
function free({ buffer, byteLength }: Buffer<ArrayBuffer>): void {
  const isShared = buffer.byteLength !== byteLength;
  if (!isShared) buffer.transfer(0);
}
