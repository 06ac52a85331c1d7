import { strictHostname } from '../domain/hostname.ts';

/**
 * A parameter that must be there exactly once; undefined when it is missing, repeated or not decodable. Read in place,
 * because it is read at every handshake of every stranger.
 */
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

/** A host name that a parameter holds, in the one spelling that tables know; undefined for anything else. */
export function hostnameParameter(query: string, name: string): string | undefined {
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
