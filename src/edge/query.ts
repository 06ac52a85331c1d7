/** A parameter that must be there exactly once; undefined when it is missing, repeated or not decodable. */
export function soleParameter(query: string, name: string): string | undefined {
  let found: string | undefined;
  for (const part of query.split('&')) {
    if (!part.startsWith(name) || part[name.length] !== '=') continue;
    if (found !== undefined) return undefined;
    found = part.slice(name.length + 1);
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
