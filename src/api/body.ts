import express, { type Request, type RequestHandler, type Response } from 'express';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '../domain/errors.ts';
import { excessOf, JSON_DEPTH, JSON_VALUES } from './json-bounds.ts';

export type ReadBody = (request: Request, response: Response) => Promise<unknown>;

/** Returns a reader of JSON bodies up to a size. A route reads its body only after it knows who is calling. */
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

/** Returns a parser that checks the bounds of a document before it parses it. */
export const jsonParser = (limitKb: number): RequestHandler =>
  express.json({ limit: `${limitKb}kb`, type: () => true, strict: false, verify: judgeBytes });

/** Runs a parser of express inside a handler, which then decides itself when a body is read. */
export const run = (parse: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    void parse(request, response, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Chunked bodies that turned out to have no bytes. An empty body is no body, but express.json makes `{}` of it. */
const EMPTY = new WeakSet<IncomingMessage>();

const PROBLEMS = {
  too_deep: `The body is nested more than ${JSON_DEPTH} levels deep.`,
  too_many_values: `The body holds more than ${JSON_VALUES.toLocaleString('en')} values.`,
};

/** Bytes that are not UTF-8 would be read as text that was not sent (RFC 8259, 8.1). */
function judgeBytes(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  if (bytes.length === 0) EMPTY.add(request);
  if (!isUtf8(bytes)) throw invalid([{ path: 'body', code: 'encoding', message: 'The body is not valid UTF-8.' }]);
  const excess = excessOf(bytes);
  if (excess !== null) throw invalid([{ path: 'body', code: excess, message: PROBLEMS[excess] }]);
}
