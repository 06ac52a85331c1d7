import { createHash } from 'node:crypto';

/** Made anew for each answer: of these only whether they are there is news. */
const FRESH_AT_EACH_ANSWER: ReadonlySet<string> = new Set(['apply_url']);

/**
 * Names what an answer says. The signed address of a Domain Connect flow is left out of it, because with it no answer
 * would ever equal another; so the tag is a weak one (RFC 9110, 8.8.1).
 */
export function etagOf(body: object): string {
  const told = JSON.stringify(body, (key, value: unknown) => (FRESH_AT_EACH_ANSWER.has(key) ? value !== null : value));
  return `W/"${createHash('sha256').update(told).digest('base64url').slice(0, 22)}"`;
}

/** RFC 9110, 13.1.2: a list of tags, compared weakly, or any. */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(etag));

const opaque = (tag: string): string => tag.replace(/^W\//, '');
