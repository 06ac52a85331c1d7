import { useEffect } from 'preact/hooks';
import { ApiError, call } from './api.ts';
import { urlOf, type Answer, type Given, type PathWith } from './paths.ts';
import { storeOf, useStore, type Store } from './store.ts';

/** An answer of the API that is kept current while a component shows it. */
export interface Live<T> {
  data: T | undefined;
  /** Error of the last request; null if it succeeded. `data` can still have an older answer. */
  error: ApiError | null;
}

interface Entry {
  url: string;
  state: Store<Live<unknown>>;
  etag: string | null;
  text: string;
  users: number;
  everyMs: number;
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  isLoading: boolean;
  /** A refresh was asked for while a request was under way, whose answer may be too old. */
  isOutdated: boolean;
}

const DEFAULT_MS = 5_000;
const REFUSED_MS = 30_000;
const MAX_BACKOFF_MS = 8_000;
/** Answers that no component shows, kept so that Back shows its page immediately. */
const MAX_IDLE = 60;

const entries = new Map<string, Entry>();

function entryOf(url: string): Entry {
  const known = entries.get(url);
  if (known !== undefined) return known;
  const idle = [...entries.values()].filter(({ users }) => users === 0);
  if (idle.length > MAX_IDLE && idle[0] !== undefined) entries.delete(idle[0].url);
  const entry: Entry = {
    url,
    state: storeOf<Live<unknown>>({ data: undefined, error: null }),
    etag: null,
    text: '',
    users: 0,
    everyMs: DEFAULT_MS,
    failures: 0,
    timer: undefined,
    isLoading: false,
    isOutdated: false,
  };
  entries.set(url, entry);
  return entry;
}

/**
 * Asks again with the last ETag, so an unchanged answer costs a 304 and no render. An equal answer without an ETag
 * keeps the old object too. Failures keep the old answer and retry with backoff, so a page outlives an API restart.
 */
async function load(entry: Entry): Promise<void> {
  if (entry.isLoading) {
    entry.isOutdated = true;
    return;
  }
  clearTimeout(entry.timer);
  entry.isLoading = true;
  let waitMs: number;
  try {
    const { body, etag, retryAfterMs } = await call<unknown>({ method: 'GET', url: entry.url, etag: entry.etag });
    entry.failures = 0;
    entry.etag = etag;
    waitMs = Math.max(entry.everyMs, Math.min(retryAfterMs, REFUSED_MS));
    const { data, error } = entry.state.get();
    const text = body === null ? entry.text : JSON.stringify(body);
    if (text !== entry.text || error !== null)
      entry.state.set({ data: text === entry.text ? data : body, error: null });
    entry.text = text;
  } catch (error) {
    const failure = error instanceof ApiError ? error : new ApiError(0, 'internal', String(error));
    entry.failures += 1;
    waitMs = failure.isTemporary
      ? Math.max(failure.retryAfterMs, Math.min(MAX_BACKOFF_MS, 500 * 2 ** entry.failures))
      : REFUSED_MS;
    const { data } = entry.state.get();
    // A refusal replaces the answer: the object is gone, or may no longer be seen.
    entry.state.set({ data: failure.isTemporary ? data : undefined, error: failure });
    if (!failure.isTemporary) entry.etag = null;
    if (failure.status === 401) waitMs = 2 ** 31 - 1;
  }
  entry.isLoading = false;
  if (entry.isOutdated) {
    entry.isOutdated = false;
    void load(entry);
  } else if (entry.users > 0) entry.timer = setTimeout(() => loadIfVisible(entry), waitMs);
}

/** A hidden page waits until it is visible again. */
const loadIfVisible = (entry: Entry): void => {
  if (!document.hidden && entry.users > 0) void load(entry);
};

const loadAll = (): void => {
  for (const entry of entries.values()) loadIfVisible(entry);
};
document.addEventListener('visibilitychange', loadAll);
window.addEventListener('online', loadAll);

const NOTHING: Store<Live<unknown>> = storeOf({ data: undefined, error: null });

/** Returns an answer of the API and keeps it current. A null path asks for nothing. */
export function useLive<P extends PathWith<'get'>>(
  path: P | null,
  given: Given = {},
  everyMs = DEFAULT_MS,
): Live<Answer<P, 'get'>> {
  const url = path === null ? null : urlOf(path, given);
  const entry = url === null ? null : entryOf(url);
  useEffect(() => {
    if (entry === null) return undefined;
    entry.users += 1;
    entry.everyMs = everyMs;
    void load(entry);
    return () => {
      entry.users -= 1;
      if (entry.users === 0) clearTimeout(entry.timer);
    };
  }, [url]);
  return useStore(entry === null ? NOTHING : entry.state) as Live<Answer<P, 'get'>>;
}

/** Reads again every shown answer whose path begins so, after a change. Answers that no component shows are dropped. */
export function refresh(prefix: string): void {
  for (const entry of [...entries.values()])
    if (entry.url.startsWith(prefix)) {
      if (entry.users > 0) void load(entry);
      else entries.delete(entry.url);
    }
}

/** Drops every answer, when the session ends or changes. */
export function dropAnswers(): void {
  for (const entry of entries.values()) clearTimeout(entry.timer);
  entries.clear();
}
