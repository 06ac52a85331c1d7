import type { z } from 'zod';
import { invalid, type Problem } from '../domain/errors.ts';
import { sentenceOf } from './validation-sentences.ts';

/** Maximum number of problems in an answer. A request can have fifty thousand. */
const LISTED_PROBLEMS = 50;

/** Parses a part of a request. Throws a refusal with the path, rule and fix of each problem. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.infer<S> {
  const unstorable = unstorablePath(value)?.reduce(childPath, part);
  if (unstorable !== undefined)
    throw invalid([
      { path: unstorable, code: 'text', message: `${unstorable} must be valid Unicode without NUL characters.` },
    ]);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, LISTED_PROBLEMS);
  throw invalid(issues.flatMap((issue) => problemsOf(issue, value, part)).slice(0, LISTED_PROBLEMS));
}

/** Reports each unknown field as a separate problem. */
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

/** Returns the field's name without the part of the request, which `path` contains. */
const nameOf = (path: string, part: string): string =>
  path === part ? `The ${part}` : path.slice(part.length + 1).replaceAll('*', '(unprintable name)');

/** Returns the path of text that Postgres cannot store: NUL and lone surrogates. The body's depth is limited. */
function unstorablePath(value: unknown): string[] | undefined {
  if (typeof value === 'string') return isUnstorable(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    if (isUnstorable(key)) return [];
    const below = unstorablePath((value as Record<string, unknown>)[key]);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}

const isUnstorable = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** Replaces unusual keys by `*`, so that messages do not repeat arbitrary text of the caller. */
const childPath = (path: string, key: string): string => (/^\w{1,64}$/.test(key) ? `${path}.${key}` : `${path}.*`);
