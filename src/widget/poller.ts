import type { Api, Connection, Failure } from './api.ts';

export interface PollerEvents {
  /** Whether the caller still has the previous answer. */
  isKnown(): boolean;
  onConnection(connection: Connection): void;
  /** Called after every poll with whether the service answered. */
  onReachable(reachable: boolean): void;
  /** Called once, when polling stops because the session is over or the connection was deleted. */
  onEnd(failure: Failure): void;
}

export interface Poller {
  /** Polls immediately, or as soon as `MIN_INTERVAL_MS` allows. */
  now(): void;
  stop(): void;
}

/** Minimum time between two polls, far below the rate limit of five requests per second and token. */
const MIN_INTERVAL_MS = 1_500;
const MAX_BACKOFF_MS = 30_000;

/** Polls a connection as often as the server asks, with backoff on failure, and only while the page is visible. */
export function startPoller(api: Api, id: string, events: PollerEvents): Poller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let polledAt = 0;
  let failures = 0;
  let polling = false;
  let stopped = false;

  async function poll(): Promise<void> {
    if (stopped || polling || document.hidden) return;
    polling = true;
    polledAt = performance.now();
    let waitMs: number;
    try {
      const { connection, nextMs } = await api.poll(id, events.isKnown());
      failures = 0;
      waitMs = nextMs;
      if (!isStopped()) {
        events.onReachable(true);
        if (connection !== null) events.onConnection(connection);
      }
    } catch (error) {
      const failure = error as Failure;
      if (isStopped()) return;
      if (failure.status >= 400 && failure.status < 500 && failure.status !== 429) {
        stop();
        events.onEnd(failure);
        return;
      }
      failures += 1;
      waitMs = Math.max(failure.retryAfterMs ?? 0, Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** failures));
      if (failure.status !== 429) events.onReachable(false);
    }
    polling = false;
    schedule(waitMs);
  }

  const isStopped = () => stopped;

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void poll(), Math.max(MIN_INTERVAL_MS, ms));
  }

  function now(): void {
    const since = performance.now() - polledAt;
    if (since >= MIN_INTERVAL_MS) {
      clearTimeout(timer);
      void poll();
    } else schedule(MIN_INTERVAL_MS - since);
  }

  const pollIfVisible = () => {
    if (!document.hidden) now();
  };

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', pollIfVisible);
    window.removeEventListener('focus', pollIfVisible);
    window.removeEventListener('online', pollIfVisible);
  }

  document.addEventListener('visibilitychange', pollIfVisible);
  window.addEventListener('focus', pollIfVisible);
  window.addEventListener('online', pollIfVisible);
  void poll();
  return { now, stop };
}
