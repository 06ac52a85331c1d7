import { FlattenedSign, type FlattenedJWS } from 'jose';
import type { KeyObject } from 'node:crypto';
import { Agent, request } from 'undici';
import type { z } from 'zod';
import { jsonOf } from '../net/json.ts';
import { readBody } from '../net/read-body.ts';
import { retryAfterSeconds } from '../net/retry-after.ts';
import { Directory, Problem, type Jwk } from './messages.ts';
import { AcmeError, AcmeUnreachable } from './problem.ts';

/** An account's key signs every request; `url` is the account's URL, null before it is known. */
export interface Signer {
  key: KeyObject;
  jwk: Jwk;
  url: string | null;
}

export interface Answer {
  body: string;
  location: string | undefined;
  retryAfterMs: number | null;
}

/** Sends signed requests to one ACME server. Nonces are kept from answer to request (RFC 8555 section 6.5). */
export interface Transport {
  directory(): Promise<Directory>;
  get(url: string): Promise<Answer>;
  /** Without a payload it is a POST-as-GET (RFC 8555 section 6.3). */
  post(url: string, signer: Signer, payload?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export interface TransportOptions {
  directoryUrl: string;
  /** Root certificates of the server's own HTTPS, in place of the usual ones. */
  ca?: string | undefined;
}

const TIME_LIMIT_MS = 30_000;
const MAX_BYTES = 256 * 1_024;
const MAX_NONCES = 16;
const BAD_NONCES = 3;
/** RFC 8555 section 6.1 requires a User-Agent. */
const USER_AGENT = 'domain-connection-service';

export function createTransport({ directoryUrl, ca }: TransportOptions): Transport {
  const agent = new Agent({ connect: ca === undefined ? {} : { ca }, connections: 8 });
  const nonces: string[] = [];
  let known: Directory | undefined;

  async function send(method: 'GET' | 'HEAD' | 'POST', url: string, body?: FlattenedJWS): Promise<Answer> {
    const response = await request(url, {
      method,
      dispatcher: agent,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      headers: { 'user-agent': USER_AGENT, ...(body && { 'content-type': 'application/jose+json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((error: unknown) => {
      throw new AcmeUnreachable(`The certificate authority does not answer: ${reasonOf(error)}`);
    });
    const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
    const nonce = header('replay-nonce');
    if (nonce !== undefined && nonces.length < MAX_NONCES) nonces.push(nonce);
    const text = await readBody(response.body, MAX_BYTES).catch((error: unknown) => {
      throw new AcmeUnreachable(`The certificate authority's answer broke off: ${reasonOf(error)}`);
    });
    const seconds = retryAfterSeconds(header, Date.now());
    const retryAfterMs = seconds === undefined ? null : seconds * 1_000;
    if (response.statusCode >= 400) throw refusal(response.statusCode, text, retryAfterMs);
    return { body: text, location: header('location'), retryAfterMs };
  }

  const directory = async (): Promise<Directory> =>
    (known ??= parsed(Directory, (await send('GET', directoryUrl)).body, 'directory'));

  async function nonce(): Promise<string> {
    if (nonces.length === 0) await send('HEAD', (await directory()).newNonce);
    const next = nonces.pop();
    if (next === undefined) throw new AcmeUnreachable('The certificate authority gave no nonce.');
    return next;
  }

  async function post(url: string, signer: Signer, payload?: unknown): Promise<Answer> {
    const text = payload === undefined ? '' : JSON.stringify(payload);
    for (let refused = 0; ; refused++) {
      const who = signer.url === null ? { jwk: signer.jwk } : { kid: signer.url };
      const signed = await new FlattenedSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'ES256', url, nonce: await nonce(), ...who })
        .sign(signer.key);
      try {
        return await send('POST', url, signed);
      } catch (error) {
        // A server that restarted does not know its nonces any more. Its refusal has a new one.
        if (!(error instanceof AcmeError) || error.type !== 'badNonce' || refused === BAD_NONCES) throw error;
        nonces.splice(0, nonces.length - 1);
      }
    }
  }

  return { directory, get: (url) => send('GET', url), post, close: () => agent.destroy() };
}

function refusal(status: number, text: string, retryAfterMs: number | null): Error {
  const problem = Problem.safeParse(jsonOf(text));
  if (problem.success && problem.data.type !== 'about:blank') return new AcmeError(status, problem.data, retryAfterMs);
  return new AcmeUnreachable(`The certificate authority answered with status ${status}.`);
}

/** Parses JSON of the server. */
export function parsed<T extends z.ZodType>(schema: T, text: string, what: string): z.infer<T> {
  const result = schema.safeParse(jsonOf(text));
  if (!result.success) throw new AcmeUnreachable(`The certificate authority sent no valid ${what}.`);
  return result.data;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The code of a timeout is a number, which explains nothing.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
