import { z } from 'zod';
import type { RegistrationAnswer } from '../domain/connection/registration.ts';
import { DAY, MINUTE } from '../domain/duration.ts';
import type { HttpsJson, JsonAnswer } from '../net/https-json.ts';
import { retryAfterSeconds } from '../net/retry-after.ts';
import { isAskable } from './bootstrap.ts';

export interface RdapAnswer {
  /** Null if the server only wants fewer requests: the question is still open. */
  answer: RegistrationAnswer | null;
  /** Time for which the server should be left alone. */
  pauseMs: number;
}

/** The fields of a domain object (RFC 9083 section 5.3) that we read. None of them is about persons. */
const DomainObject = z.object({
  objectClassName: z.literal('domain'),
  ldhName: z.string().optional(),
  events: z
    .array(z.object({ eventAction: z.string().catch(''), eventDate: z.coerce.date().nullable().catch(null) }))
    .default([]),
});

const REDIRECTS_MAX = 3;
const PAUSE_MS = 10 * MINUTE;
const UNKNOWN = { outcome: 'unknown' } as const;

/** Asks an RDAP server about the registration of a domain (RFC 9082 section 3.1.3). */
export async function askRegistration(
  http: HttpsJson,
  server: string,
  domain: string,
  signal: AbortSignal,
): Promise<RdapAnswer> {
  const asked = new URL(`domain/${encodeURIComponent(domain)}`, server);
  const first = await get(http, asked, signal);
  if (first === null) return { answer: UNKNOWN, pauseMs: PAUSE_MS };
  if (first.status === 429) return { answer: null, pauseMs: retryAfterMs(first) };
  if (first.status >= 500) return { answer: UNKNOWN, pauseMs: retryAfterMs(first) };
  const last = await followed(http, { url: asked, answer: first }, signal);
  return { answer: registrationIn(last, domain), pauseMs: 0 };
}

/** Follows redirects (RFC 7480 section 5.2), a few of them. Returns null if they do not end at a server's answer. */
async function followed(
  http: HttpsJson,
  { url, answer }: { url: URL; answer: JsonAnswer },
  signal: AbortSignal,
): Promise<JsonAnswer | null> {
  let [at, last]: [URL, JsonAnswer | null] = [url, answer];
  for (let hops = 0; last !== null && last.status >= 300 && last.status < 400; hops++) {
    const next = URL.parse(last.header('location') ?? '', at);
    if (next === null || !isAskable(next) || hops === REDIRECTS_MAX) return null;
    [at, last] = [next, await get(http, next, signal)];
  }
  return last;
}

/** Returns null if the server did not answer in time, or with too much. */
async function get(http: HttpsJson, url: URL, signal: AbortSignal): Promise<JsonAnswer | null> {
  try {
    return await http.get(url, signal);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function registrationIn(answer: JsonAnswer | null, domain: string): RegistrationAnswer {
  if (answer?.status === 404) return { outcome: 'not_found' };
  const { data } = DomainObject.safeParse(answer?.status === 200 ? answer.body : undefined);
  if (data === undefined || (data.ldhName !== undefined && plain(data.ldhName) !== domain)) return UNKNOWN;
  const at = (action: string) => data.events.find(({ eventAction }) => eventAction === action)?.eventDate ?? null;
  // A registrar's own date (`registrar expiration`) and a `transfer` mean nothing here.
  return { outcome: 'found', registered_at: at('registration'), expires_at: at('expiration') };
}

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Returns the time that the server asks for (RFC 7480 section 5.5), at most a day. */
function retryAfterMs({ header }: JsonAnswer): number {
  const seconds = retryAfterSeconds(header, Date.now());
  return seconds === undefined ? PAUSE_MS : Math.min(seconds * 1_000, DAY);
}
