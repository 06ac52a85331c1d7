import { Agent, request } from 'undici';
import type { Environment } from '../domain/connection/connection.ts';
import { outcomeOfStatus, type AttemptOutcome } from '../domain/webhook/attempt.ts';
import { cappedChunks } from '../net/read-body.ts';
import { retryAfterSeconds } from '../net/retry-after.ts';
import { DialError, guardedConnector, type DialPolicy } from '../net/safe-dial.ts';

export interface Sent {
  outcome: AttemptOutcome;
  statusCode: number | null;
  /** A sentence for the tenant, without our own addresses or stack traces. */
  error: string | null;
  response: string | null;
  retryAfterMs: number | null;
  durationMs: number;
}

export interface Request {
  url: string;
  environment: Environment;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * Sends requests to receivers (servers that tenants name). Each process has one sender, which pools TCP connections.
 */
export interface WebhookSender {
  send(request: Request): Promise<Sent>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 15_000;
/** Time limit for reading the body, which does not decide the outcome. */
const BODY_TIMEOUT_MS = 2_000;
/** Bytes that are read from a response, and bytes of it that are stored. */
const MAX_READ = 64 * 1024;
const MAX_STORED = 8 * 1024;

export interface SenderOptions extends DialPolicy {
  /** Additional certificate authorities and a socket to dial, for tests. */
  tls?: { ca?: string; socketPath?: string };
  timeoutMs?: number;
}

/** Creates a sender to checked addresses (src/net/safe-dial.ts). It follows no redirects and decompresses nothing. */
export function webhookSender({ tls = {}, timeoutMs = TIMEOUT_MS, ...policy }: SenderOptions): WebhookSender {
  const connect = guardedConnector(policy, { timeout: CONNECT_TIMEOUT_MS, ...tls });
  // Idle connections close after seconds, so a changed DNS record soon takes effect, and its address is checked.
  const agent = new Agent({ connect, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 10_000 });
  return {
    async send(sent) {
      const began = performance.now();
      const duration = () => Math.round(performance.now() - began);
      if (sent.environment === 'live' && !sent.url.startsWith('https:'))
        return { ...failed('blocked_address', 'A live endpoint must be https.'), durationMs: duration() };
      try {
        const answer = await exchange(agent, sent, timeoutMs);
        return { ...answer, durationMs: duration() };
      } catch (error) {
        return { ...failureOf(error), durationMs: duration() };
      }
    },
    close: () => agent.destroy(),
  };
}

type Answer = Omit<Sent, 'durationMs'>;

async function exchange(agent: Agent, { url, headers, body }: Request, timeoutMs: number): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
  const header = (name: string): string | undefined => [answer.headers[name]].flat()[0];
  const encoding = header('content-encoding');
  const read = await readSome(answer.body);
  const outcome = outcomeOfStatus(answer.statusCode);
  const retryAfter = outcome === 'delivered' ? undefined : retryAfterSeconds(header, Date.now());
  return {
    outcome,
    statusCode: answer.statusCode,
    error: outcome === 'delivered' ? null : `The receiver answered ${answer.statusCode}; only 2xx is success.`,
    response:
      encoding === undefined || encoding === 'identity' ? textOf(read) : `(${encoding.slice(0, 40)}, not decoded)`,
    retryAfterMs: retryAfter === undefined ? null : retryAfter * 1_000,
  };
}

type Body = Awaited<ReturnType<typeof request>>['body'];

/** Reads the beginning of the body. A broken body is no failure, because only the status decides. */
async function readSome(body: Body): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS);
  try {
    for await (const chunk of cappedChunks(body, MAX_READ)) chunks.push(chunk);
  } catch {
    // The chunks that were read so far are enough.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, MAX_STORED);
}

/** Replaces NUL, which Postgres cannot store in text. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\u{fffd}');

const failed = (outcome: AttemptOutcome, error: string): Answer => ({
  outcome,
  statusCode: null,
  error,
  response: null,
  retryAfterMs: null,
});

function failureOf(error: unknown): Answer {
  if (error instanceof DialError) return failed(error.code, error.message);
  const { name = '', code = '' } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return failed('timeout', 'The receiver did not answer in time.');
  if (code === 'ECONNREFUSED') return failed('connection_refused', 'Nothing listens at the address.');
  if (TLS_ERROR.test(code)) return failed('tls_error', `The TLS handshake failed (${code}).`);
  return failed(
    'connection_failed',
    `The connection broke before there was an answer${code === '' ? '' : ` (${code})`}.`,
  );
}

const TLS_ERROR = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/;
