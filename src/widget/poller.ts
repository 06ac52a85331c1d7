import type { Api, Connection, Failure } from './api.ts';

export interface PollerEvents {
  /** Whether the answer before is still at hand. */
  isKnown(): boolean;
  onConnection(connection: Connection): void;
  /** The service does not answer, or does again. */
  onReach(reached: boolean): void;
  /** Asking again makes no sense: the session is over, or the connection is gone. */
  onEnd(failure: Failure): void;
}

export interface Poller {
  /** Asks at once, unless it has just asked. */
  now(): void;
  stop(): void;
}

/** However eager the page or the server's hint: well below the five requests a second that a token may make. */
const SHORTEST_MS = 1_500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Reads a connection again and again: when the server's hint says so, not while nobody looks, at once when somebody looks
 * again or the network is back, and ever more seldom while it fails.
 */
export function startPoller(api: Api, id: string, events: PollerEvents): Poller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAt = 0;
  let failures = 0;
  let asking = false;
  let stopped = false;

  async function ask(): Promise<void> {
    if (stopped || asking || document.hidden) return;
    asking = true;
    askedAt = performance.now();
    let waitMs: number;
    try {
      const { connection, nextMs } = await api.poll(id, events.isKnown());
      failures = 0;
      waitMs = nextMs;
      if (!isStopped()) {
        events.onReach(true);
        if (connection !== null) events.onConnection(connection);
      }
    } catch (error) {
      const failure = error as Failure;
      if (failure.status >= 400 && failure.status < 500 && failure.status !== 429) {
        stop();
        events.onEnd(failure);
        return;
      }
      failures += 1;
      waitMs = Math.max(failure.retryAfterMs ?? 0, Math.min(LONGEST_BACKOFF_MS, 1_000 * 2 ** failures));
      if (!isStopped() && failure.status !== 429) events.onReach(false);
    }
    asking = false;
    later(waitMs);
  }

  const isStopped = () => stopped;

  function later(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void ask(), Math.max(SHORTEST_MS, ms));
  }

  function now(): void {
    const since = performance.now() - askedAt;
    if (since >= SHORTEST_MS) {
      clearTimeout(timer);
      void ask();
    } else later(SHORTEST_MS - since);
  }

  const onLook = () => {
    if (!document.hidden) now();
  };

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onLook);
    window.removeEventListener('focus', onLook);
    window.removeEventListener('online', onLook);
  }

  document.addEventListener('visibilitychange', onLook);
  window.addEventListener('focus', onLook);
  window.addEventListener('online', onLook);
  void ask();
  return { now, stop };
}
