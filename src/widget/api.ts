import type { z } from 'zod';
import type { ConnectionCreated, ConnectionDetail } from '../api/schemas/connections.ts';
import type { DomainCheck } from '../api/schemas/checks.ts';
import { isSameBearer } from './session.ts';

export type Check = z.infer<typeof DomainCheck>;
export type Created = z.infer<typeof ConnectionCreated>;
export type Connection = z.infer<typeof ConnectionDetail>;
export type Finding = Connection['findings'][number];

/** Mail records that one mailbox provider needs, compared with the published records. */
export type EmailSetup = NonNullable<Connection['email_setup']>[number];

/** A call that failed: the service's error code, or `unreachable` with status 0 if no answer came. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfterMs: number | null;

  constructor(
    status: number,
    code: string,
    message: string,
    details: unknown = null,
    retryAfterMs: number | null = null,
  ) {
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
  /** `companion`: whether to connect www too. Undefined leaves the choice to the application. */
  create(domain: string, companion: boolean | undefined): Promise<Created>;
  /** Reads the connection. With `known`, the caller has the previous answer, so the service may answer 304. */
  poll(id: string, known: boolean): Promise<Polled>;
  checkRecords(id: string): Promise<void>;
  emailSetup(id: string): Promise<readonly EmailSetup[]>;
}

export interface ApiOptions {
  baseUrl: string;
  applicationId: string;
  token: string;
  /** Returns a new token. Undefined if the page cannot renew it. */
  getToken: (() => Promise<string>) | undefined;
  /** `fetch` before the page could replace it. */
  fetch: typeof fetch;
}

/** Time after which a request without an answer counts as failed. */
const TIMEOUT_MS = 20_000;
const DEFAULT_POLL_MS = 5_000;

/** Creates a client for the widget's calls. */
export function createApi(options: ApiOptions): Api {
  const { baseUrl, applicationId, getToken } = options;
  let { token } = options;
  let renewal: Promise<boolean> | null = null;
  let etag: string | null = null;

  /** Asks the page for a new token, once for all calls that wait. Returns whether it gave a usable one. */
  function renew(): Promise<boolean> {
    if (getToken === undefined) return Promise.resolve(false);
    const accept = (given: string): boolean => {
      if (!isSameBearer(given, token)) throw new Error('it is for another application, customer or domain.');
      token = given;
      return true;
    };
    const refuse = (error: unknown): boolean => {
      console.error(`[svc] getToken gave no usable token: ${String(error)}`);
      return false;
    };
    renewal ??= Promise.resolve()
      .then(getToken)
      .then(accept)
      .catch(refuse)
      .then((renewed) => {
        renewal = null;
        return renewed;
      });
    return renewal;
  }

  async function send(method: string, path: string, body?: string, tag?: string | null): Promise<Response> {
    const used = token;
    let response = await request(method, path, body, tag);
    if (response.status === 401 && (used !== token || (await renew())))
      response = await request(method, path, body, tag);
    if (response.ok || response.status === 304) return response;
    throw await failureOf(response);
  }

  async function request(method: string, path: string, body?: string, tag?: string | null): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (tag) headers['If-None-Match'] = tag;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), TIMEOUT_MS);
    const init: RequestInit = { method, headers, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal: giveUp.signal }; // prettier-ignore
    if (body !== undefined) init.body = body;
    try {
      return await options.fetch(`${baseUrl}/v1${path}`, init);
    } catch (error) {
      throw new Failure(0, 'unreachable', String(error));
    } finally {
      clearTimeout(timer);
    }
  }

  const post = (path: string, body?: string) => send('POST', path, body).then((response) => response.json());

  return {
    check: (domain) => post('/domains:check', bodyOf({ domain })) as Promise<Check>,
    create: (hostname, companion) =>
      post('/connections', bodyOf({ application_id: applicationId, hostname, companion })) as Promise<Created>,
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
    async emailSetup(id) {
      const response = await send('GET', `/connections/${id}?include=email_setup`);
      return ((await response.json()) as Connection).email_setup ?? [];
    },
  };
}

/** Serializes without JSON.stringify, because some pages define a toJSON on strings and arrays. */
const bodyOf = (fields: Record<string, string | boolean | undefined>): string => {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) parts.push(`"${name}":${typeof value === 'string' ? quoted(value) : String(value)}`);
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
