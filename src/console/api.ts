import { reportReachable } from './status.ts';
import { urlOf, type Answer, type Given, type Method, type PathWith } from './paths.ts';

/** A call that failed: the API's error code, or `unreachable` with status 0 if no answer came. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly retryAfterMs: number;

  constructor(status: number, code: string, message: string, details: unknown = null, retryAfterMs = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call can succeed later: no answer, an overloaded service, or a limit. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export interface Received<T> {
  /** Null if the answer equals the one that the caller has. */
  body: T | null;
  etag: string | null;
  retryAfterMs: number;
}

interface Sending {
  method: string;
  url: string;
  body?: unknown;
  etag?: string | null;
  /** Extra headers, such as Idempotency-Key. */
  headers?: Readonly<Record<string, string>>;
}

/** The longest answer of the API is that of verify, which waits up to 20 s. */
const TIMEOUT_MS = 30_000;

/** Sends a request of the console. The cookie of the session goes along, because the origin is the same. */
export async function send<T>({ method, url, body, etag, headers: extra = {} }: Sending): Promise<Received<T>> {
  const headers: Record<string, string> = { ...extra };
  if (method !== 'GET') headers['X-Svc-Console'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (etag) headers['If-None-Match'] = etag;
  const response = await fetch(url, {
    method,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    reportReachable(false);
    throw new ApiError(0, 'unreachable', `The service did not answer: ${String(error)}`);
  });
  reportReachable(response.status < 500);
  const retryAfterMs = (Number(response.headers.get('Retry-After')) || 0) * 1_000;
  const received = { etag: response.headers.get('ETag'), retryAfterMs };
  if (response.status === 304 || response.status === 204) return { ...received, body: null };
  const text = await response.text().catch(() => '');
  if (!response.ok) throw errorOf(response.status, text, retryAfterMs);
  return { ...received, body: JSON.parse(text) as T };
}

function errorOf(status: number, text: string, retryAfterMs: number): ApiError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; details: unknown } };
    return new ApiError(status, error.code, error.message, error.details, retryAfterMs);
  } catch {
    return new ApiError(status, 'internal', `The service answered with HTTP ${status}.`, null, retryAfterMs);
  }
}

/** Address of the public API for sessions. Paths of the API begin with /v1. */
export const API = '/console/api';

type Ended = () => void;
let onEnded: Ended = () => undefined;
/** Sets what happens when the API refuses the session. */
export const whenSessionEnds = (listener: Ended): void => {
  onEnded = listener;
};

/** Sends a request to the public API. A refused session ends the page's session too. */
export async function call<T>(sending: Sending): Promise<Received<T>> {
  try {
    return await send<T>({ ...sending, url: API + sending.url });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) onEnded();
    throw error;
  }
}

const caller =
  <M extends Method>(method: M) =>
  async <P extends PathWith<M>>(
    path: P,
    given: Given & { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer<P, M>> => {
    const { body, headers = {} } = given;
    const sent = { method: method.toUpperCase(), url: urlOf(path, given), body, headers };
    return (await call<Answer<P, M>>(sent)).body as Answer<P, M>;
  };

export const get = caller('get');
export const post = caller('post');
export const put = caller('put');
export const patch = caller('patch');
export const del = caller('delete');

/** Returns an error as a sentence for a person. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  return error.status === 0 ? "We can't reach the service. Check your connection and try again." : error.message;
}
