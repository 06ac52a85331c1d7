import type { z } from 'zod';
import { invalid } from '../domain/errors.ts';

/** Parses a part of a request, or refuses it with where, which rule, and how to put it right. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.infer<S> {
  const poisoned = findPoison(value, part);
  if (poisoned)
    throw invalid([
      { path: poisoned, code: 'text', message: `${poisoned} holds text that is not valid Unicode, or a NUL.` },
    ]);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map((issue) => {
      const path = issue.path.map(String).reduce(childPath, part);
      return { path, code: issue.code, message: `${path}: ${issue.message}` };
    }),
  );
}

/** Postgres stores neither NUL nor lone surrogates; they must not get that far. Walks without recursion: depth is the caller's. */
function findPoison(root: unknown, rootPath: string): string | undefined {
  const open: [unknown, string][] = [[root, rootPath]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, path] = next;
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) open.push([key, path], [item, childPath(path, key)]);
  }
  return undefined;
}

/** Names that are not plain are the caller's own invention and not repeated to it. */
const childPath = (path: string, key: string): string => (/^\w{1,64}$/.test(key) ? `${path}.${key}` : `${path}.*`);
