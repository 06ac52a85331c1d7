import type { z } from 'zod';
import { invalid, type Problem } from '../domain/errors.ts';
import { sentenceOf } from './validation-sentences.ts';

/** A request can be wrong in fifty thousand places; an answer lists the first of them. */
const LISTED_PROBLEMS = 50;

/** Parses a part of a request, or refuses it with where, which rule, and how to put it right. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.infer<S> {
  const poisoned = poisonedPath(value)?.reduce(childPath, part);
  if (poisoned !== undefined)
    throw invalid([
      { path: poisoned, code: 'text', message: `${poisoned} holds text that is not valid Unicode, or a NUL.` },
    ]);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, LISTED_PROBLEMS);
  throw invalid(issues.flatMap((issue) => problemsOf(issue, value, part)).slice(0, LISTED_PROBLEMS));
}

/** Each unknown field is a problem of its own. */
function problemsOf(issue: z.core.$ZodIssue, value: unknown, part: string): Problem[] {
  const keys = issue.path.map(String);
  const at = keys.reduce(childPath, part);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, LISTED_PROBLEMS).map((key) => {
      const message = `There is no field ${nameOf(childPath(at, key), part)}.`;
      return { path: at, code: issue.code, message };
    });
  const given = keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
  return [{ path: at, code: issue.code, message: sentenceOf(issue, nameOf(at, part), given) }];
}

/** A field as the caller knows it: without the part of the request, which `path` names. */
const nameOf = (path: string, part: string): string =>
  path === part ? `The ${part}` : path.slice(part.length + 1).replaceAll('*', '(a name that is not repeated here)');

/**
 * Finds text that Postgres cannot store: NUL and lone surrogates. Returns the keys on the way to it. Recursion is safe
 * because the depth of a body is bounded before it is parsed.
 */
function poisonedPath(value: unknown): string[] | undefined {
  if (typeof value === 'string') return isPoison(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    if (isPoison(key)) return [];
    const below = poisonedPath((value as Record<string, unknown>)[key]);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}

const isPoison = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** Names that are not plain are the caller's own invention and not repeated to it. */
const childPath = (path: string, key: string): string => (/^\w{1,64}$/.test(key) ? `${path}.${key}` : `${path}.*`);
