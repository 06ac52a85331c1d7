import { createHash } from 'node:crypto';

/** Fields that differ in every answer. The tag covers only whether they are null. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set(['apply_url']);

/** Returns a tag of the answer's content. It ignores signed URLs, which always differ, so it is weak (RFC 9110, 8.8.1). */
export function etagOf(body: object): string {
  const text = JSON.stringify(body, (key, value: unknown) => (VOLATILE_FIELDS.has(key) ? value !== null : value));
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether an If-None-Match header matches: a list of tags, compared weakly, or * (RFC 9110, 13.1.2). */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(etag));

const opaque = (tag: string): string => tag.replace(/^W\//, '');
