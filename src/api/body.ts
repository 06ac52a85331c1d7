import express, { type Request, type RequestHandler, type Response } from 'express';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '../domain/errors.ts';
import { excessOf, JSON_DEPTH, JSON_VALUES } from './json-bounds.ts';

export type ReadBody = (request: Request, response: Response) => Promise<unknown>;

/** Returns a reader of JSON bodies up to a size. A route reads its body only after it has authenticated the caller. */
export function bodyReader(limitKb: number): ReadBody {
  const parse = jsonParser(limitKb);
  return async (request, response) => {
    if (!hasBody(request)) return undefined;
    if (!request.is('application/json'))
      throw new ServiceError('unsupported_media_type', 'Send the body as application/json.');
    await run(parse, request, response);
    return EMPTY.has(request) ? undefined : (request.body as unknown);
  };
}

/** Returns a parser that checks depth and size of a document before it parses it. */
export const jsonParser = (limitKb: number): RequestHandler =>
  express.json({ limit: `${limitKb}kb`, type: () => true, strict: false, verify: judgeBytes });

/** Runs an express body parser inside a handler, so that the handler decides when to read the body. */
export const run = (parse: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    void parse(request, response, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Requests whose chunked body was empty. express.json parses an empty body as `{}`, but it counts as no body. */
const EMPTY = new WeakSet<IncomingMessage>();

const PROBLEMS = {
  too_deep: `The body is nested more than ${JSON_DEPTH} levels deep.`,
  too_many_values: `The body holds more than ${JSON_VALUES.toLocaleString('en')} values.`,
};

/** Refuses bytes that are not UTF-8, because decoding them would change the text (RFC 8259, 8.1). */
function judgeBytes(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  if (bytes.length === 0) EMPTY.add(request);
  if (!isUtf8(bytes)) throw invalid([{ path: 'body', code: 'encoding', message: 'The body is not valid UTF-8.' }]);
  const excess = excessOf(bytes);
  if (excess !== null) throw invalid([{ path: 'body', code: excess, message: PROBLEMS[excess] }]);
}
