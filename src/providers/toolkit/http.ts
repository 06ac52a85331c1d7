import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import { DialError, guardedConnector } from '../../net/safe-dial.ts';
import type { Call } from './call.ts';
import type { Descriptor } from '../descriptor.ts';
import { ProviderError, type ProviderErrorCode } from '../provider-error.ts';
import { rateLimiter, type RateLimiter } from './rate-limit.ts';
import { redactor } from './redact.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** The one way to a provider's API. One for each process: it holds the connections and every account's allowance. */
export interface ProviderHttp {
  account(options: AccountOptions): HttpAccount;
  close(): Promise<void>;
}

interface AccountOptions {
  descriptor: Pick<Descriptor, 'slug' | 'name' | 'limits'>;
  baseUrl: string;
  /** Set when a tenant named the server: it is then dialled only at public addresses, or, with allowPrivate, at any. */
  tenantGiven?: { allowPrivate: boolean };
  secrets: readonly string[];
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, already encoded. */
  path: string;
  query?: Readonly<Record<string, string | number>>;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Whether it may change something; by default everything but GET does. Some providers read by POST. */
  writes?: boolean;
}

/** Whether the zone may be different after this request. */
export const isWrite = ({ method, writes }: Pick<HttpRequest, 'method' | 'writes'>): boolean =>
  writes ?? method !== 'GET';

export interface HttpAnswer {
  status: number;
  text: string;
  header(name: string): string | undefined;
  retryAfterSeconds: number | undefined;
}

export interface HttpAccount {
  /** Where a request goes; signatures are made over it. */
  url(request: Pick<HttpRequest, 'path' | 'query'>): URL;
  /** Any answer is an answer, whatever its status; only silence and nonsense are errors. Nothing is sent twice. */
  send(request: HttpRequest, call?: Call): Promise<HttpAnswer>;
  /** The only way to make an error from text that came from outside: it leaves here without secrets. */
  error(code: ProviderErrorCode, text: string, more?: ErrorDetails): ProviderError;
}

type ErrorDetails = ConstructorParameters<typeof ProviderError>[2];

/** For logs and metrics: no query, header or body, because some providers take their keys there. */
export interface CallLine {
  provider: string;
  method: string;
  path: string;
  outcome: number | string;
  milliseconds: number;
}

const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;
const USER_AGENT = 'domain-connection-service';

export interface HttpOptions {
  onCall?: (line: CallLine) => void;
  limit?: RateLimiter;
  now?: () => number;
}

export function providerHttp(options: HttpOptions = {}): ProviderHttp {
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  const agents = {
    trusted: new Agent({ connect }),
    guarded: new Agent({ connect: guardedConnector({ allowPrivate: false }, connect) }),
  };
  const limit = options.limit ?? rateLimiter();
  const now = options.now ?? Date.now;
  return {
    account: (account) => {
      const dispatcher = account.tenantGiven?.allowPrivate === false ? agents.guarded : agents.trusted;
      return openAccount(account, { dispatcher, limit, now, onCall: options.onCall });
    },
    close: async () => {
      await Promise.all([agents.trusted.destroy(), agents.guarded.destroy()]);
    },
  };
}

interface HttpParts {
  dispatcher: Dispatcher;
  limit: RateLimiter;
  now: () => number;
  onCall: ((line: CallLine) => void) | undefined;
}

function openAccount({ descriptor, baseUrl, tenantGiven, secrets }: AccountOptions, parts: HttpParts): HttpAccount {
  const base = readBaseUrl(descriptor.name, baseUrl, tenantGiven);
  const redact = redactor(secrets);
  const key = createHash('sha256')
    .update(JSON.stringify([descriptor.slug, base, ...secrets]))
    .digest('base64');

  const url = ({ path, query = {} }: Pick<HttpRequest, 'path' | 'query'>): URL => {
    const address = new URL(base + path);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
    return address;
  };

  const error: HttpAccount['error'] = (code, text, more) =>
    new ProviderError(code, `${descriptor.name}: ${redact(text)}`, more);

  const turn = (signal: AbortSignal) => parts.limit(key, descriptor.limits.requests, signal);

  const send: HttpAccount['send'] = async (sent, call = {}) => {
    const started = performance.now();
    const report = (outcome: number | string) =>
      parts.onCall?.({
        provider: descriptor.slug,
        method: sent.method,
        path: redact(sent.path),
        outcome,
        milliseconds: Math.round(performance.now() - started),
      });
    try {
      const answer = await exchange(sent, call, { url, error, turn, dispatcher: parts.dispatcher, now: parts.now });
      report(answer.status);
      return answer;
    } catch (failure) {
      report(failure instanceof ProviderError ? failure.code : 'aborted');
      throw failure;
    }
  };

  return { url, send, error };
}

/** Waits for the account's turn, sends, and reads the answer whole; whatever goes wrong becomes a ProviderError. */
async function exchange(
  sent: HttpRequest,
  call: Call,
  { url, error, turn, dispatcher, now }: Pick<HttpAccount, 'url' | 'error'> & Exchange,
): Promise<HttpAnswer> {
  const timeout = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
  signal.throwIfAborted();
  let reached = false;
  try {
    await turn(signal);
    reached = true;
    const response = await undiciRequest(url(sent), {
      method: sent.method,
      headers: { 'user-agent': USER_AGENT, ...sent.headers },
      body: sent.body ?? null,
      dispatcher,
      signal,
    });
    return readAnswer(response.statusCode, response.headers, await readCapped(response.body), now());
  } catch (failure) {
    call.signal?.throwIfAborted();
    if (!reached) throw error('rate_limited', 'too many calls are waiting for this account; try again later.');
    throw transportError(failure, sent, error);
  }
}

interface Exchange {
  turn(signal: AbortSignal): Promise<void>;
  dispatcher: Dispatcher;
  now(): number;
}

function readBaseUrl(name: string, given: string, tenantGiven: { allowPrivate: boolean } | undefined): string {
  const url = URL.parse(given);
  const secure = url?.protocol === 'https:';
  const plain = url?.protocol === 'http:' && tenantGiven?.allowPrivate !== false;
  if (!url || !(secure || plain) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new ProviderError(
      'validation',
      `${name}: the server's address must be an https URL without a user or query.`,
    );
  }
  return url.href.replace(/\/$/, '');
}

function readAnswer(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
  nowMs: number,
): HttpAnswer {
  const header = (name: string): string | undefined => [headers[name]].flat()[0];
  return { status, text, header, retryAfterSeconds: retryAfterSeconds(header, nowMs) };
}

async function readCapped(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > RESPONSE_BYTES_MAX) throw new Error(`the answer is larger than ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function transportError(failure: unknown, sent: HttpRequest, error: HttpAccount['error']): ProviderError {
  if (failure instanceof DialError) {
    return error(failure.code === 'blocked_address' ? 'validation' : 'transient', failure.message);
  }
  const { code = '', name = '' } = failure as { code?: string; name?: string };
  const what = name === 'TimeoutError' ? 'it did not answer in time' : `it could not be reached (${code || name})`;
  const neverSent = code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
  return error('transient', `${what}.`, { mayHaveChanged: isWrite(sent) && !neverSent });
}
