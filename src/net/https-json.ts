import { Agent, fetch } from 'undici';
import { jsonOf } from './json.ts';
import { readBody } from './read-body.ts';
import { guardedConnector, type DialPolicy } from './safe-dial.ts';

export interface JsonAnswer {
  status: number;
  /** Undefined if the body is not JSON. */
  body: unknown;
  header(name: string): string | undefined;
}

export interface HttpsJson {
  get(url: URL, signal: AbortSignal): Promise<JsonAnswer>;
  close(): Promise<void>;
}

interface Limits {
  accept?: string;
  maxBytes?: number;
  timeLimitMs?: number;
}

/**
 * Reads JSON from hosts that strangers chose, with limited size and time. Redirects are returned and not followed. Only
 * public addresses are dialled, and networks that `policy` allows.
 */
export function createHttpsJson(
  policy: DialPolicy,
  tls: { ca?: string } = {},
  { accept = 'application/json', maxBytes = 64 * 1_024, timeLimitMs = 3_000 }: Limits = {},
): HttpsJson {
  const agent = new Agent({ connect: guardedConnector(policy, { ...tls, timeout: timeLimitMs }) });
  return {
    async get(url, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
      const headers = { accept };
      const response = await fetch(url, { dispatcher: agent, redirect: 'manual', signal: limit, headers });
      const text = response.body === null ? '' : await readBody(response.body, maxBytes);
      const header = (name: string) => response.headers.get(name) ?? undefined;
      return { status: response.status, body: jsonOf(text), header };
    },
    close: () => agent.close(),
  };
}
