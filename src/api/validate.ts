import type { z } from 'zod';
import { invalid, type Problem } from '../domain/errors.ts';
import { sentenceOf } from './validation-sentences.ts';

/** Parses a part of a request, or refuses it with where, which rule, and how to put it right. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.infer<S> {
  const poisoned = findPoison(value, part);
  if (poisoned)
    throw invalid([
      { path: poisoned, code: 'text', message: `${poisoned} holds text that is not valid Unicode, or a NUL.` },
    ]);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => problemsOf(issue, value, part)));
}

/** Each unknown field is a problem of its own. */
function problemsOf(issue: z.core.$ZodIssue, value: unknown, part: string): Problem[] {
  const keys = issue.path.map(String);
  const at = keys.reduce(childPath, part);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const message = `There is no field ${nameOf(childPath(at, key), part)}.`;
      return { path: at, code: issue.code, message };
    });
  const given = keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
  return [{ path: at, code: issue.code, message: sentenceOf(issue, nameOf(at, part), given) }];
}

/** A field as the caller knows it: without the part of the request, which `path` tells. */
const nameOf = (path: string, part: string): string =>
  path === part ? `The ${part}` : path.slice(part.length + 1).replaceAll('*', '(a name that is not repeated here)');

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
