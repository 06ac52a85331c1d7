import { BoundedMap } from '../net/bounded-map.ts';

/** Shares answers among checks. One lookup in progress serves every check that wants its answer. */
export interface SharedAnswers<T> {
  /** Returns the answer that is shared at the moment, if any. */
  known(key: string): T | undefined;
  /** Returns the answer of `ask`, or one that is shared. Returns undefined if the signal aborts first. */
  find(key: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

/** `keepMs` returns the time for which later checks may use an answer: 0 for an answer that proves nothing. */
export type Share = <T>(keepMs: (answer: T) => number) => SharedAnswers<T>;

interface Limits {
  /** Time limit of a lookup. The check that began a lookup may end before the others that wait for it. */
  limitMs: number;
  now: () => number;
}

/** Time for which a right answer about a zone serves checks of other names: short, because proofs depend on it. */
export const SHARED_MS = 10_000;

const MAX_ENTRIES = 10_000;

export const createShare =
  (limits: Limits): Share =>
  (keepMs) =>
    createSharedAnswers(keepMs, limits);

function createSharedAnswers<T>(keepMs: (answer: T) => number, { limitMs, now }: Limits): SharedAnswers<T> {
  const kept = new BoundedMap<string, { answer: T; until: number }>(MAX_ENTRIES);
  const underWay = new Map<string, Promise<T>>();

  async function begin(key: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      const answer = await ask(AbortSignal.timeout(limitMs));
      const ms = keepMs(answer);
      if (ms > 0) kept.set(key, { answer, until: now() + ms });
      return answer;
    } finally {
      underWay.delete(key);
    }
  }

  function known(key: string): T | undefined {
    const entry = kept.get(key);
    if (entry && entry.until > now()) return entry.answer;
    kept.delete(key);
    return undefined;
  }

  return {
    known,
    async find(key, signal, ask) {
      const shared = known(key);
      if (shared !== undefined) return shared;
      const asking = underWay.get(key) ?? begin(key, ask);
      underWay.set(key, asking);
      return unlessAborted(asking, signal);
    },
  };
}

async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const abort = () => resolve(undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
