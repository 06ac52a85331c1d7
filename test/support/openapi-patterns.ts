import { openApiDocument } from '../../src/api/openapi.ts';

/** Returns every regular expression of the OpenAPI document once. */
export const openApiPatterns = (): string[] => [...new Set(patternsIn(openApiDocument()))];

function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'pattern' && typeof inner === 'string' ? [inner] : patternsIn(inner),
  );
}
