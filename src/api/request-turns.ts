import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Time for which requests begin without a break, so that other work of the process runs in between. */
const SLICE_MS = 2;

type Start = () => void;

/**
 * Begins requests of different callers in turn where many arrive at the same time: one of each caller, then the process
 * does its other work. Routing and reading the headers of a thousand requests keeps the process busy for a fraction of a
 * second, in which it sends no answer to another caller.
 */
export function inTurns(handler: RequestListener, clock = () => performance.now()): RequestListener {
  /** Requests that have not begun, by caller. The caller at the front is next. */
  const waiting = new Map<string, Start[]>();
  let spentMs = 0;
  let isNextTurnPlanned = false;

  function begin(start: Start): void {
    const began = clock();
    start();
    spentMs += clock() - began;
    if (isNextTurnPlanned) return;
    isNextTurnPlanned = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    isNextTurnPlanned = false;
    spentMs = 0;
    for (const [caller, queue] of [...waiting]) {
      const next = queue.shift();
      waiting.delete(caller); // the caller goes to the end
      if (queue.length > 0) waiting.set(caller, queue);
      if (next !== undefined) begin(next);
      if (spentMs >= SLICE_MS) return;
    }
  }

  return (request: IncomingMessage, response: ServerResponse) => {
    const start = () => {
      handler(request, response);
    };
    if (waiting.size === 0 && spentMs < SLICE_MS) {
      begin(start);
      return;
    }
    const caller = callerOf(request);
    const queue = waiting.get(caller);
    if (queue === undefined) waiting.set(caller, [start]);
    else queue.push(start);
  };
}

/** Returns whose request it is, before anything is verified. */
const callerOf = ({ headers, socket }: IncomingMessage): string =>
  headers.authorization ?? headers.cookie ?? socket.remoteAddress ?? '';
