import type { RequestWindow } from '../descriptor.ts';

export type AllowanceState = Readonly<Record<string, Bucket>>;

export interface Bucket {
  tokens: number;
  /** Milliseconds, on the clock of the store. */
  at: number;
}

export type Allowance =
  /** One token was taken from every window. The request may be sent after this wait. */
  | { outcome: 'granted'; waitMs: number; state: AllowanceState }
  /** No token was taken, because the wait would be longer than the caller accepts. */
  | { outcome: 'refused'; waitMs: number };

/** Takes one token from every window. Callers queue by debt. A wait that is too long takes nothing, to bound it. */
export function takeToken(
  windows: readonly RequestWindow[],
  before: AllowanceState,
  nowMs: number,
  patienceMs: number,
): Allowance {
  const filled = windows.map((window) => ({ window, bucket: refilled(window, before, nowMs) }));
  const waits = filled.map(({ window, bucket }) =>
    bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / flowOf(window).perMs),
  );
  const waitMs = Math.max(0, ...waits);
  if (waitMs > patienceMs) return { outcome: 'refused', waitMs };
  return { outcome: 'granted', waitMs, state: withTokens(before, filled, -1) };
}

/** Tokens that a process took ahead, for requests that it has not sent yet. */
export interface Stock {
  tokens: number;
  /** Time at which the tokens were taken, in milliseconds on the clock of the process. */
  takenAt: number;
}

/** The half token pays for what the stock loses at first. */
const STOCK_MAX = 8.5;
const STOCK_MS = 1_000;

/** Takes tokens for later requests. Half of every bucket's burst stays for other processes. */
export function takeAhead(
  windows: readonly RequestWindow[],
  before: AllowanceState,
  nowMs: number,
): { tokens: number; state: AllowanceState } {
  const filled = windows.map((window) => ({ window, bucket: refilled(window, before, nowMs) }));
  const spare = filled.map(({ window, bucket }) => bucket.tokens - flowOf(window).burst / 2);
  const tokens = Math.min(STOCK_MAX, ...spare);
  return tokens < 1 ? { tokens: 0, state: before } : { tokens, state: withTokens(before, filled, -tokens) };
}

/**
 * Takes one token from a stock; undefined if none is left. A stock loses tokens as fast as its buckets refill, so a stock
 * and a bucket together never hold more than the burst, and no process can exceed a window.
 */
export function takeFromStock(
  windows: readonly RequestWindow[],
  { tokens, takenAt }: Stock,
  atMs: number,
): Stock | undefined {
  const age = atMs - takenAt;
  const lost = age * Math.max(...windows.map((window) => flowOf(window).perMs));
  return age > STOCK_MS || tokens - lost < 1 ? undefined : { tokens: tokens - 1, takenAt };
}

/** Returns the token of a caller that stopped waiting. */
export const returnToken = (
  windows: readonly RequestWindow[],
  before: AllowanceState,
  nowMs: number,
): AllowanceState =>
  withTokens(before, windows.map((window) => ({ window, bucket: refilled(window, before, nowMs) })), 1); // prettier-ignore

function withTokens(
  before: AllowanceState,
  filled: readonly { window: RequestWindow; bucket: Bucket }[],
  difference: number,
): AllowanceState {
  const after = filled.map(({ window, bucket: { tokens, at } }): [string, Bucket] => [
    keyOf(window),
    { tokens: Math.min(flowOf(window).burst, tokens + difference), at },
  ]);
  return { ...before, ...Object.fromEntries(after) };
}

function refilled(window: RequestWindow, state: AllowanceState, nowMs: number): Bucket {
  const { burst, perMs } = flowOf(window);
  const bucket = state[keyOf(window)];
  if (bucket === undefined) return { tokens: burst, at: nowMs };
  const elapsed = Math.max(0, nowMs - bucket.at);
  return { tokens: Math.min(burst, bucket.tokens + elapsed * perMs), at: Math.max(nowMs, bucket.at) };
}

/** Identifies a window by its values, so that reads and writes can share one window and also have separate ones. */
const keyOf = ({ count, seconds, counts }: RequestWindow): string => `${count}/${seconds} ${counts ?? 'all'}`;

/** Share of a window that may be used as a burst. The rest refills over the window. */
const BURST_SHARE = 0.25;

/** Splits a window's count into burst and refill. A bucket of the whole count would allow nearly twice as many. */
function flowOf({ count, seconds }: RequestWindow): { burst: number; perMs: number } {
  const burst = Math.max(1, Math.floor(count * BURST_SHARE));
  return { burst, perMs: Math.max(count - burst, 0.5) / (seconds * 1_000) };
}
