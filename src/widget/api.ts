import type { z } from 'zod';
import type { ConnectionCreated, ConnectionDetail } from '../api/schemas/connections.ts';
import type { DomainCheck } from '../api/schemas/checks.ts';

export type Check = z.infer<typeof DomainCheck>;
export type Created = z.infer<typeof ConnectionCreated>;
export type Connection = z.infer<typeof ConnectionDetail> & { domain_connect?: { apply_url: string | null } | null };
export type Finding = Connection['findings'][number];

/** A call that failed: the service's error code, or `unreachable` with status 0 if no answer came. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfterMs: number | null;

  constructor(status: number, code: string, message: string, details: unknown, retryAfterMs: number | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Polled {
  /** Null if the connection has not changed since the previous answer. */
  connection: Connection | null;
  /** Time until the next poll. */
  nextMs: number;
}

export interface Api {
  check(domain: string): Promise<Check>;
  create(domain: string): Promise<Created>;
  /** Reads the connection. With `known`, the caller has the previous answer, so the service may answer 304. */
  poll(id: string, known: boolean): Promise<Polled>;
  checkRecords(id: string): Promise<void>;
}

/** Time after which a request without an answer counts as failed. */
const TIMEOUT_MS = 20_000;
const DEFAULT_POLL_MS = 5_000;

/** Creates a client for the widget's calls. `originalFetch` is `fetch` before the page could replace it. */
export function createApi(baseUrl: string, applicationId: string, token: string, originalFetch: typeof fetch): Api {
  let etag: string | null = null;

  async function send(method: string, path: string, body?: string, tag?: string | null): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (tag) headers['If-None-Match'] = tag;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), TIMEOUT_MS);
    const request: RequestInit = { method, headers, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal: giveUp.signal }; // prettier-ignore
    if (body !== undefined) request.body = body;
    try {
      const response = await originalFetch(`${baseUrl}/v1${path}`, request);
      if (response.ok || response.status === 304) return response;
      throw await failureOf(response);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure(0, 'unreachable', String(error), null, null);
    } finally {
      clearTimeout(timer);
    }
  }

  const post = (path: string, body?: string) => send('POST', path, body).then((response) => response.json());

  return {
    check: (domain) => post('/domains:check', bodyOf({ domain })) as Promise<Check>,
    create: (domain) =>
      post('/connections', bodyOf({ application_id: applicationId, hostname: domain })) as Promise<Created>,
    async poll(id, known) {
      const response = await send('GET', `/connections/${id}`, undefined, known ? etag : null);
      const nextMs = (Number(response.headers.get('Retry-After')) || 0) * 1_000 || DEFAULT_POLL_MS;
      if (response.status === 304) return { connection: null, nextMs };
      const connection = (await response.json()) as Connection;
      etag = response.headers.get('ETag');
      return { connection, nextMs };
    },
    async checkRecords(id) {
      await post(`/connections/${id}/records:check`);
    },
  };
}

/** Serializes without JSON.stringify, because some pages define a toJSON on strings and arrays. */
const bodyOf = (fields: Record<string, string>): string => {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) parts.push(`"${name}":${quoted(value)}`);
  return `{${parts.join(',')}}`;
};

const quoted = (text: string): string =>
  `"${text.replace(/["\\]|[^\x20-\x7e]/g, (char) => `\\u${`000${char.charCodeAt(0).toString(16)}`.slice(-4)}`)}"`;

async function failureOf(response: Response): Promise<Failure> {
  const seconds = Number(response.headers.get('Retry-After')) || 0;
  const retryAfterMs = seconds > 0 ? seconds * 1_000 : null;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; details: unknown } };
    return new Failure(response.status, error.code, error.message, error.details, retryAfterMs);
  } catch {
    return new Failure(response.status, 'internal', `HTTP ${response.status}`, null, retryAfterMs);
  }
}
