import { strictHostname } from '../domain/hostname.ts';

/** Returns a parameter that occurs exactly once. It does not allocate, because it runs at every handshake. */
export function soleParameter(query: string, name: string): string | undefined {
  let found: string | undefined;
  for (let start = 0, end; start < query.length; start = end + 1) {
    end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    if (query[start + name.length] !== '=' || !query.startsWith(name, start)) continue;
    if (found !== undefined) return undefined;
    found = query.slice(start + name.length + 1, end);
  }
  return found?.includes('%') ? decoded(found) : found;
}

/** Returns the hostname of a parameter in canonical spelling; undefined for anything else. */
function hostnameParameter(query: string, name: string): string | undefined {
  const text = soleParameter(query, name);
  if (text === undefined) return undefined;
  if (strictHostname(text, SANDBOX_TOO).ok) return text; // nearly always
  const hostname = (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
  return hostname !== text && strictHostname(hostname, SANDBOX_TOO).ok ? hostname : undefined;
}

const SANDBOX_TOO = { test: true };

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export interface AskQuery {
  hostname: string | undefined;
  /** Omits the body of the response. */
  isBare: boolean;
}

export const parseAsk = (query: string): AskQuery => ({
  hostname: hostnameParameter(query, 'domain'),
  isBare: soleParameter(query, 'bare') === '1',
});

export interface RouteQuery {
  hostname: string | undefined;
  /** The request came without TLS. */
  isPlain: boolean;
  /** The request becomes a stream. */
  isUpgrade: boolean;
  /** The edge can try another address after the first; a Caddyfile of an earlier version cannot. */
  canTryAnother: boolean;
}

export const parseRoute = (query: string): RouteQuery => ({
  hostname: hostnameParameter(query, 'host'),
  isPlain: soleParameter(query, 'plain') === '1',
  isUpgrade: soleParameter(query, 'upgrade') === '1',
  canTryAnother: soleParameter(query, 'another') === '1',
});

export interface PageQuery {
  hostname: string | undefined;
  status: number;
  /** Where the request was forwarded to, and the name for its second attempt; empty if there were none. */
  dial: string;
  next: string;
  /** Reason why no connection to the origin was made; null for other reasons, which could name a visitor's address. */
  reason: string | null;
}

export const parsePage = (query: string): PageQuery => ({
  hostname: hostnameParameter(query, 'host'),
  status: Number(soleParameter(query, 'status')),
  dial: dialIn(query, 'dial'),
  next: dialIn(query, 'next'),
  reason: reasonIn(query),
});

/** Returns host:port of a parameter. Caddy sends other text for a variable that is not set. */
function dialIn(query: string, name: string): string {
  const dial = soleParameter(query, name) ?? '';
  return /:\d+$/.test(dial) ? dial : '';
}

function reasonIn(query: string): string | null {
  const reason = soleParameter(query, 'reason')?.replaceAll('+', ' ') ?? '';
  return /^(?:dial tcp|tls:) [\x20-\x7e]*$/.test(reason) ? reason.slice(0, 300) : null;
}
