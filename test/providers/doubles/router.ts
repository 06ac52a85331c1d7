import type { Answer, DoubleRequest } from './serve.ts';

export interface Routed {
  params: Record<string, string>;
  query: URLSearchParams;
  /** The body as JSON; null if there is no body or it is not JSON. */
  json: unknown;
  request: DoubleRequest;
}

type Handler = (routed: Routed) => Answer;

/** Thrown by handlers to answer with a refusal. */
export class Refused extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({ status, headers, body: '' });

/**
 * Answers by method and path. Keys have the form `GET /domains/:zone/records`. A request without a matching key, or one
 * that `before` refuses, is answered in the provider's own words.
 */
export function router(
  routes: Readonly<Record<string, Handler>>,
  { before, notFound }: { before?: (request: DoubleRequest) => void; notFound: (request: DoubleRequest) => Answer },
): (request: DoubleRequest) => Answer {
  const table = Object.entries(routes).map(([key, handler]) => {
    const [method = '', path = ''] = key.split(' ');
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
    return {
      method,
      names,
      handler,
      pattern: new RegExp(`^${path.replace(/[.$]/g, '\\$&').replaceAll(/:\w+/g, '([^/]+)')}$`),
    };
  });
  return (request) => {
    try {
      before?.(request);
      for (const { method, names, handler, pattern } of table) {
        const found = method === request.method ? pattern.exec(request.url.pathname) : null;
        if (!found) continue;
        const params = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]));
        return handler({ params, query: request.url.searchParams, json: jsonIn(request.body), request });
      }
      return notFound(request);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  };
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

/** Returns one page of a listing that is numbered from 1. */
export function pageOf<T>(items: readonly T[], page: number, size: number): { items: T[]; pages: number } {
  return { items: items.slice((page - 1) * size, page * size), pages: Math.max(1, Math.ceil(items.length / size)) };
}
