import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import { EVERY_NETWORK, NO_NETWORKS } from '../../net/address.ts';
import { DialError, guardedConnector, type DialGuards } from '../../net/safe-dial.ts';
import type { Call } from '../call.ts';
import type { Descriptor } from '../descriptor.ts';
import { ProviderError, type ProviderErrorCode } from '../provider-error.ts';
import { inProcessAllowances, awaitAllowance, countersFor, type AllowanceStore } from './rate-limiter.ts';
import { redactor } from './redact.ts';
import { BodyTooLarge, readBody } from '../../net/read-body.ts';
import { retryAfterSeconds } from '../../net/retry-after.ts';

/** The HTTP client for all providers. A process has one, which holds the connections. */
export interface ProviderHttp {
  account(options: AccountOptions): HttpAccount;
  close(): Promise<void>;
}

export interface AccountOptions {
  descriptor: Pick<Descriptor, 'slug' | 'name' | 'limits'>;
  baseUrl: string;
  /** Set if a tenant chose the server. Only public addresses are then dialled, or every address with allowPrivate. */
  tenantGiven?: { allowPrivate: boolean };
  /** Also identify the account: requests with the same secrets are counted together. */
  secrets: readonly string[];
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base URL, already encoded. */
  path: string;
  query?: Readonly<Record<string, string | number>>;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Whether the request may change something; by default every method except GET. Some providers read by POST. */
  writes?: boolean;
  /** Zone that the request concerns, for providers that limit the requests of each zone. */
  zone?: string;
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
  /** Returns the URL of a request. Signatures cover it. */
  url(request: Pick<HttpRequest, 'path' | 'query'>): URL;
  /** Sends a request once and returns the answer, with any status. Only a missing or unreadable answer is an error. */
  send(request: HttpRequest, call?: Call): Promise<HttpAnswer>;
  /** Returns an error with redacted text. Every text from outside must pass through this function. */
  error(code: ProviderErrorCode, text: string, more?: ErrorDetails): ProviderError;
  /** Redacts this text too from now on, such as an access token. */
  learnSecret(secret: string): void;
  /** A key for caches and counters that reveals no secret. */
  key: string;
}

type ErrorDetails = ConstructorParameters<typeof ProviderError>[2];

/** One request in logs and metrics. It has no query, header or body, because some providers expect their keys there. */
export interface CallLine {
  provider: string;
  method: string;
  path: string;
  outcome: number | string;
  milliseconds: number;
}

const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
const USER_AGENT = 'domain-connection-service';

export interface HttpOptions {
  onCall?: (line: CallLine) => void;
  /** Runs the exchange of one request, for traces. */
  around?: (call: Pick<CallLine, 'provider' | 'method'>, exchange: () => Promise<HttpAnswer>) => Promise<HttpAnswer>;
  /** Counts the requests of every account. Several processes must share one store. */
  allowances?: AllowanceStore;
  now?: () => number;
  /** Rules for dialling servers that tenants choose. */
  guards?: DialGuards;
}

export function providerHttp(options: HttpOptions = {}): ProviderHttp {
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  const agents = {
    trusted: new Agent({ connect }),
    guarded: new Agent({ connect: guardedConnector({ ...options.guards, allowed: NO_NETWORKS }, connect) }),
    unguarded: new Agent({ connect: guardedConnector({ ...options.guards, allowed: EVERY_NETWORK }, connect) }),
  };
  const { allowances = inProcessAllowances(), now = Date.now, onCall, around } = options;
  return {
    account: (account) => {
      return openAccount(account, { dispatcher: agents[trustIn(account)], allowances, now, onCall, around });
    },
    close: async () => {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

function trustIn({ tenantGiven }: AccountOptions): 'trusted' | 'guarded' | 'unguarded' {
  if (tenantGiven === undefined) return 'trusted';
  return tenantGiven.allowPrivate ? 'unguarded' : 'guarded';
}

interface HttpParts {
  dispatcher: Dispatcher;
  allowances: AllowanceStore;
  now: () => number;
  onCall: HttpOptions['onCall'];
  around: HttpOptions['around'];
}

function openAccount({ descriptor, baseUrl, tenantGiven, secrets }: AccountOptions, parts: HttpParts): HttpAccount {
  const base = readBaseUrl(descriptor.name, baseUrl, tenantGiven);
  const known = [...secrets];
  let redact = redactor(known);
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

  const allow: Exchange['allow'] = (request, wait) =>
    awaitAllowance(
      parts.allowances,
      countersFor(key, descriptor.limits.requests, { isWrite: isWrite(request), zone: request.zone }),
      wait,
    );

  const { around = (_call, send) => send() } = parts;

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
      const send = () => exchange(sent, call, { url, error, allow, dispatcher: parts.dispatcher, now: parts.now });
      const answer = await around({ provider: descriptor.slug, method: sent.method }, send);
      report(answer.status);
      return answer;
    } catch (failure) {
      report(failure instanceof ProviderError ? failure.code : 'aborted');
      throw failure;
    }
  };

  const learnSecret = (secret: string): void => {
    if (known.includes(secret)) return;
    known.push(secret);
    redact = redactor(known);
  };

  return { url, send, error, learnSecret, key };
}

/** Waits for the account's allowance, sends, and reads the whole answer. Every failure becomes a ProviderError. */
async function exchange(
  sent: HttpRequest,
  call: Call,
  { url, error, allow, dispatcher, now }: Pick<HttpAccount, 'url' | 'error'> & Exchange,
): Promise<HttpAnswer> {
  const timeoutMs = call.timeoutMs ?? TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
  let isSent = false;
  try {
    signal.throwIfAborted();
    const permitted = await allow(sent, { patienceMs: timeoutMs / 2, signal });
    if (permitted.outcome === 'refused') {
      const text = 'its request limit is used up; try again later.';
      throw error('rate_limited', text, { retryAfterSeconds: permitted.retryAfterSeconds });
    }
    isSent = true;
    const response = await undiciRequest(url(sent), {
      method: sent.method,
      headers: { 'user-agent': USER_AGENT, ...sent.headers },
      body: sent.body ?? null,
      dispatcher,
      signal,
    });
    return readAnswer(response.statusCode, response.headers, await readBody(response.body, RESPONSE_BYTES_MAX), now());
  } catch (failure) {
    if (failure instanceof ProviderError) throw failure;
    if (failure instanceof BodyTooLarge) throw error('validation', TOO_LARGE);
    rethrowAbort(call.signal);
    throw transportError(failure, isSent && isWrite(sent), error);
  }
}

interface Exchange {
  allow(
    request: Pick<HttpRequest, 'method' | 'writes' | 'zone'>,
    wait: { patienceMs: number; signal: AbortSignal },
  ): ReturnType<typeof awaitAllowance>;
  dispatcher: Dispatcher;
  now(): number;
}

/** Rethrows the reason of an aborted signal. A timeout is not rethrown: for its caller, the provider did not answer. */
export function rethrowAbort(signal: AbortSignal | undefined): void {
  if (signal?.aborted && !isTimeout(signal.reason)) throw signal.reason;
}

const isTimeout = (reason: unknown): boolean => (reason as { name?: string } | null)?.name === 'TimeoutError';

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

const TOO_LARGE =
  'its answer is larger than 4 MB, which is the limit. Use a credential that is limited to fewer zones.';

function transportError(failure: unknown, wasWritten: boolean, error: HttpAccount['error']): ProviderError {
  if (failure instanceof DialError)
    return error(failure.code === 'blocked_address' ? 'validation' : 'transient', failure.message);
  const { code = '', name = '' } = failure as { code?: string; name?: string };
  const what = isTimeout(failure) ? 'it did not answer in time' : `it could not be reached (${code || name})`;
  const neverSent = code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
  return error('transient', `${what}.`, { mayHaveChanged: wasWritten && !neverSent });
}
