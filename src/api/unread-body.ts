import type { IncomingMessage, ServerResponse } from 'node:http';

/** As much of a body that nobody reads is taken in and discarded, so that the connection stays of use. */
const DISCARDED_BYTES = 65_536;
/** A client whose request was answered has this time to finish its body, or to read the answer. */
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

/** Cuts off a client that was answered and goes on sending its body. Small bodies are there in a moment. */
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
