import { IDEMPOTENT_PATHS } from './idempotent-paths.ts';

type Fetch = (request: Request) => Promise<Response>;

export interface Retries {
  /** Attempts after the first. */
  retries: number;
  /** Waits between attempts. Tests replace it. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;
const KEY = 'Idempotency-Key';

/**
 * Returns a fetch that repeats a request which the service refused for a moment (429, 503), after the time that it asks
 * for in Retry-After. After a lost connection, 502 or 504 it repeats only what cannot happen twice: a creation gets an
 * Idempotency-Key for that.
 */
export function reliableFetch(original: Fetch, { retries, sleep = wait }: Retries): Fetch {
  return async (request) => {
    const isRepeatable = request.method !== 'POST' || isIdempotent(request.url);
    if (request.method === 'POST' && isRepeatable && !request.headers.has(KEY))
      request.headers.set(KEY, crypto.randomUUID());
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      try {
        const response = await original(isLast ? request : request.clone());
        const isRefused = response.status === 429 || response.status === 503;
        const isUnsure = response.status === 502 || response.status === 504;
        if (isLast || !(isRefused || (isUnsure && isRepeatable))) return response;
        await response.body?.cancel();
        await sleep(waitOf(response, attempt), request.signal);
      } catch (error) {
        if (isLast || !isRepeatable || request.signal.aborted) throw error;
        await sleep(backoff(attempt), request.signal);
      }
    }
  };
}

function isIdempotent(url: string): boolean {
  const segments = new URL(url).pathname.split('/');
  return IDEMPOTENT_PATHS.some((path) => {
    const known = path.split('/');
    const given = segments.slice(-known.length);
    return known.every((part, i) => part === given[i] || (part.startsWith('{') && given[i] !== undefined));
  });
}

function waitOf(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : backoff(attempt);
}

/** Half a second, doubled with each attempt, varied so that many clients do not return together. */
const backoff = (attempt: number): number => 500 * 2 ** attempt * (0.75 + Math.random() / 2);

export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
