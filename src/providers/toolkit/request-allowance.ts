import type { RequestWindow } from '../descriptor.ts';

/** What is left of an account's windows: in each, tokens that flow back with time. */
export type AllowanceState = Readonly<Record<string, Bucket>>;

export interface Bucket {
  tokens: number;
  /** Milliseconds on the clock of the one who keeps the state. */
  at: number;
}

export type Allowance =
  /** A token of every window is taken; the request may be sent after this wait. */
  | { outcome: 'granted'; waitMs: number; state: AllowanceState }
  /** Nothing is taken: the wait would be longer than the caller can bear. */
  | { outcome: 'refused'; waitMs: number };

/**
 * Takes one token from every window, going into debt where need be: each newcomer then waits behind those who came first.
 * A caller whose wait would outlast its patience is refused at once and takes nothing, so that the debt never grows
 * beyond what callers really wait for.
 */
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

/** Gives back what a caller took and did not use, because it stopped waiting. */
export const returnToken = (
  windows: readonly RequestWindow[],
  before: AllowanceState,
  nowMs: number,
): AllowanceState =>
  withTokens(before, windows.map((window) => ({ window, bucket: refilled(window, before, nowMs) })), 1); // prettier-ignore

function withTokens(
  before: AllowanceState,
  filled: readonly { window: RequestWindow; bucket: Bucket }[],
  difference: 1 | -1,
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

/** Windows are told apart by what they say, so that reads and writes can share one and have another each. */
const keyOf = ({ count, seconds, counts }: RequestWindow): string => `${count}/${seconds} ${counts ?? 'all'}`;

/** The part of a window that may be used at once; the rest flows in over the window. */
const BURST_SHARE = 0.25;

/**
 * A burst at the beginning of a window and what flows in during it are together the window's count, so that no stretch of
 * that length ever holds more: a bucket as large as the count would allow nearly twice as many.
 */
function flowOf({ count, seconds }: RequestWindow): { burst: number; perMs: number } {
  const burst = Math.max(1, Math.floor(count * BURST_SHARE));
  return { burst, perMs: Math.max(count - burst, 0.5) / (seconds * 1_000) };
}
