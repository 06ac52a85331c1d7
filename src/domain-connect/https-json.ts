import { Agent, fetch } from 'undici';
import { jsonOf } from '../net/json.ts';
import { readBody } from '../net/read-body.ts';
import { guardedConnector, type DialPolicy } from '../net/safe-dial.ts';

export interface JsonAnswer {
  status: number;
  /** Undefined if the body is not JSON. */
  body: unknown;
}

export interface HttpsJson {
  get(url: URL, signal: AbortSignal): Promise<JsonAnswer>;
  close(): Promise<void>;
}

const MAX_BYTES = 64 * 1_024;
const TIME_LIMIT_MS = 3_000;

/**
 * Reads JSON from hosts that strangers chose: no redirects, limited size and time. Only public addresses are dialled,
 * and networks that `policy` allows.
 */
export function createHttpsJson(policy: DialPolicy, tls: { ca?: string } = {}): HttpsJson {
  const agent = new Agent({ connect: guardedConnector(policy, { ...tls, timeout: TIME_LIMIT_MS }) });
  return {
    async get(url, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
      const headers = { accept: 'application/json' };
      const response = await fetch(url, { dispatcher: agent, redirect: 'error', signal: limit, headers });
      const text = response.body === null ? '' : await readBody(response.body, MAX_BYTES);
      return { status: response.status, body: jsonOf(text) };
    },
    close: () => agent.close(),
  };
}
