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

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
