import type { z } from 'zod';

const KINDS: Partial<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Partial<Record<string, string>> = {
  uuid: 'must be a UUID',
  url: 'must be a URL',
  datetime: 'must be a time such as 2026-01-31T12:00:00.000Z',
};

/** Returns what a field must be, in a sentence for people. */
export function sentenceOf(issue: z.core.$ZodIssue, name: string, given: unknown): string {
  if (given === undefined && issue.code !== 'custom') return `${name} is required.`;
  switch (issue.code) {
    case 'invalid_type':
      return `${name} must be ${KINDS[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `${name} must be one of ${issue.values.map(String).join(', ')}.`;
    case 'too_small':
      return `${name} must ${sizeOf(issue.origin, 'at least', Number(issue.minimum))}.`;
    case 'too_big':
      return `${name} must ${sizeOf(issue.origin, 'at most', Number(issue.maximum))}.`;
    case 'invalid_format':
      return `${name} ${FORMATS[issue.format] ?? ownWords(issue.message)}.`;
    case 'custom':
      return `${name} ${ownWords(issue.message)}.`;
    default:
      return `${name} is not valid.`;
  }
}

function sizeOf(origin: string, bound: 'at least' | 'at most', limit: number): string {
  if (origin === 'string')
    return bound === 'at least' && limit === 1 ? 'not be empty' : `have ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${limit} entries`;
  return `be ${bound} ${limit}`;
}

/** Our own messages begin with a lower-case "must". zod's begin with a capital and are not shown. */
const ownWords = (message: string): string => (/^[a-z]/.test(message) ? message : 'is not valid');
