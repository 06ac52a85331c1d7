import type { z } from 'zod';
import type { ConnectionCreated, ConnectionDetail } from '../api/schemas/connections.ts';
import type { DomainCheck } from '../api/schemas/checks.ts';

export type Check = z.infer<typeof DomainCheck>;
export type Created = z.infer<typeof ConnectionCreated>;
export type Connection = z.infer<typeof ConnectionDetail> & {
  domain_connect?: { apply_url: string | null } | null;
};
export type Finding = Connection['findings'][number];

/** Why there is no answer to show: the code of the service's refusal, or that none came. */
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
  /** Null when nothing has changed since the answer before. */
  connection: Connection | null;
  /** When asking again makes sense. */
  nextMs: number;
}

export interface Api {
  check(domain: string): Promise<Check>;
  create(domain: string): Promise<Created>;
  /** `known`: whoever asks has the answer before this one, so that "nothing has changed" says something. */
  poll(id: string, known: boolean): Promise<Polled>;
  checkRecords(id: string): Promise<void>;
}

/** A request that hangs is as bad as one that fails, and worse to wait for. */
const TIMEOUT_MS = 20_000;
const USUAL_POLL_MS = 5_000;

/** The four calls that a widget token may make. `fetch` is taken when the script loads, before the page can replace it. */
export function createApi(baseUrl: string, applicationId: string, token: string, fetchNow: typeof fetch): Api {
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
      const response = await fetchNow(`${baseUrl}/v1${path}`, request);
      if (response.ok || response.status === 304) return response;
      throw await refusalOf(response);
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
      const nextMs = (Number(response.headers.get('Retry-After')) || 0) * 1_000 || USUAL_POLL_MS;
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

/** Written by hand, because pages exist that give strings and arrays a toJSON of their own and so break JSON.stringify. */
const bodyOf = (fields: Record<string, string>): string => {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) parts.push(`"${name}":${quoted(value)}`);
  return `{${parts.join(',')}}`;
};

const quoted = (text: string): string =>
  `"${text.replace(/["\\]|[^\x20-\x7e]/g, (char) => `\\u${`000${char.charCodeAt(0).toString(16)}`.slice(-4)}`)}"`;

async function refusalOf(response: Response): Promise<Failure> {
  const seconds = Number(response.headers.get('Retry-After')) || 0;
  const retryAfterMs = seconds > 0 ? seconds * 1_000 : null;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; details: unknown } };
    return new Failure(response.status, error.code, error.message, error.details, retryAfterMs);
  } catch {
    return new Failure(response.status, 'internal', `HTTP ${response.status}`, null, retryAfterMs);
  }
}
