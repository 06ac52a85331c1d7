import type { IncomingMessage, ServerResponse } from 'node:http';

/** Largest unread body that node reads and discards, so that the client can reuse its connection. */
const DISCARDED_BYTES = 65_536;
/** Time in which a client that was answered must finish its body, or read the answer. */
const LINGER_MS = 1_000;
/** Answered requests with an unread body whose connections stay open at most. In a flood the oldest is closed sooner. */
const LINGERING = 32;
const lingering = new Map<IncomingMessage, NodeJS.Timeout>();

/**
 * Leaves a large body in the socket until a handler reads it. Node otherwise reads and discards a body that no handler has
 * asked for: a stranger's half megabyte would then cost eight buffers, and the garbage collector stops every tenant for
 * them. `read(0)` asks for nothing and returns nothing, but Node then buffers one chunk and waits.
 */
export function holdLargeBody(request: IncomingMessage): void {
  if (!isSmall(request)) request.read(0);
}

/**
 * Prepares the refusal of a request whose body has not been read. Reading a large body costs more than refusing it, so
 * the refusal closes the connection. A socket that is closed over unread bytes resets the connection, and the client may
 * lose the answer: therefore only our half is closed at first (RFC 9112, 9.6).
 */
export function closeOverUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || isSmall(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node calls this when the answer is written.
  socket.destroySoon = () => {
    socket.end();
    destroyLater(request);
  };
}

/** Closes the connection of a client that was answered and keeps sending its body. Small bodies arrive immediately. */
export function limitUnreadBody(request: IncomingMessage): void {
  if (!request.complete)
    setImmediate(() => {
      if (!request.complete) destroyLater(request);
    });
}

/** Whether a body is absent or its length is known to be small. The length of a chunked body is unknown. */
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

/** Frees the memory of a chunk now. Left to the garbage collector, a flood's chunks make it stop the process again and again. */
function free({ buffer, byteLength }: Buffer<ArrayBuffer>): void {
  const isShared = buffer.byteLength !== byteLength;
  if (!isShared) buffer.transfer(0);
}
