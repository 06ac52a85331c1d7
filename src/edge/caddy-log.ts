import { open } from 'node:fs/promises';
import { z } from 'zod';
import { jsonOf } from '../net/json.ts';

/** A certificate authority's (CA's) error response to the edge. */
export interface Refusal {
  /** Last part of RFC 8555's error type, such as `caa`, `dns`, `connection` or `rateLimited`. */
  type: string;
  detail: string;
}

const TAIL_BYTES = 256 * 1024;
const Line = z.object({
  level: z.literal('error'),
  logger: z.string(),
  ts: z.number(),
  msg: z.string(),
  identifier: z.string(),
  error: z.string(),
});
/** Caddy's log message for each CA that did not issue. */
const REFUSED = 'could not get certificate from issuer';

/**
 * Returns a CA's error for the hostname from Caddy's log, because the client of the TLS handshake gets no reason. With
 * several CAs (`authorities`), returns nothing until all of them have refused.
 */
export async function refusalInLog(
  file: string,
  hostname: string,
  sinceMs: number,
  authorities = 1,
): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined;
  let refusals = 0;
  const lines = (await readTail(file)).split('\n').reverse();
  for (const text of lines) {
    if (!text.includes(hostname)) continue;
    const line = Line.safeParse(jsonOf(text));
    if (!line.success || line.data.identifier !== hostname || line.data.ts * 1_000 < sinceMs) continue;
    const found = /urn:ietf:params:acme:error:(\w+) - (.*)/s.exec(line.data.error);
    if (!found) continue;
    refusal ??= { type: found[1] ?? '', detail: (found[2] ?? '').slice(0, 300) };
    if (authorities === 1) return refusal;
    if (line.data.msg === REFUSED && ++refusals === authorities) return refusal;
  }
  return undefined;
}

async function readTail(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}
