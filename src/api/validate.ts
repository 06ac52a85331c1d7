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
      const path = [part, ...issue.path.map(String)].join('.');
      return { path, code: issue.code, message: `${path}: ${issue.message}` };
    }),
  );
}

/** Postgres stores neither NUL nor lone surrogates; they must not get that far. */
function findPoison(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findPoison(key, path) ?? findPoison(item, `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}
