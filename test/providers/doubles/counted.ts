import type { Answer, DoubleRequest } from './serve.ts';

/** The number of requests that a provider answers in a period, and its answer to the next one. */
export interface RequestLimit {
  count: number;
  seconds: number;
  /** Requests that count; by default all. */
  counts?: (request: DoubleRequest) => boolean;
  refuse(wait: { retryAfter: string; resetAt: string }): Answer;
}

type Answering = (request: DoubleRequest) => Answer;

/** A double that counts requests and refuses those beyond the limit like the provider. */
export function counted(
  answer: Answering,
  { count, seconds, counts, refuse }: RequestLimit,
  now = Date.now,
): Answering {
  let answered: number[] = [];
  return (request) => {
    if (counts?.(request) === false) return answer(request);
    answered = answered.filter((at) => at > now() - seconds * 1_000);
    const [oldest = 0] = answered;
    if (answered.length < count) {
      answered.push(now());
      return answer(request);
    }
    const free = oldest + seconds * 1_000;
    return refuse({ retryAfter: String(Math.ceil((free - now()) / 1_000)), resetAt: String(Math.ceil(free / 1_000)) });
  };
}
