import type { IncomingMessage, ServerResponse } from 'node:http';

/** Largest unread body that node reads and discards, so that the client can reuse its connection. */
const DISCARDED_BYTES = 65_536;
/** Time in which a client that was answered must finish its body, or read the answer. */
const LINGER_MS = 1_000;

/**
 * Prepares the refusal of a request whose body has not been read. Reading a large body costs more than refusing it, so
 * the refusal closes the connection. A socket that is closed over unread bytes resets the connection, and the client may
 * lose the answer: therefore only our half is closed at first (RFC 9112, 9.6).
 */
export function closeOverUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || Number(request.headers['content-length']) <= DISCARDED_BYTES) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node calls this when the answer is written.
  socket.destroySoon = () => {
    socket.end();
    // After node has resumed the request, which it does to discard the rest of the body.
    setImmediate(() => socket.pause());
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

function destroyLater(request: IncomingMessage): void {
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
}
