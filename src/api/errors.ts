import type { ErrorRequestHandler } from 'express';
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
} from 'slonik';
import { NOT_NOW } from '../db/tenant/callers.ts';
import { DatabaseAway } from '../db/pool-semaphore.ts';
import { invalid, ServiceError, STATUS_OF } from '../domain/errors.ts';
import type { Logger } from '../log.ts';
import { closeOverUnreadBody } from './unread-body.ts';

/** The only place an error becomes an answer. What is not meant for the caller becomes a reference into the log. */
export const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const requestId = String(response.locals['requestId']);
    const refusal = refusalOf(error, requestId);
    if (STATUS_OF[refusal.code] >= 500) log.error({ err: error, ref: requestId }, 'A request failed.');
    if (refusal.retryAfterSeconds !== undefined) response.set('Retry-After', String(refusal.retryAfterSeconds));
    closeOverUnreadBody(request, response);
    if (refusal.code === 'unauthorized') response.set('WWW-Authenticate', 'Bearer');
    response
      .status(STATUS_OF[refusal.code])
      .json({ error: { code: refusal.code, message: refusal.message, details: refusal.details }, ...refusal.beside });
  };

function refusalOf(error: unknown, ref: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof URIError)
    return invalid([{ path: 'path', code: 'encoding', message: 'The path is not valid percent-encoded text.' }]);
  if (isBodyError(error)) return bodyRefusal(error);
  if (isDatabaseAway(error))
    return new ServiceError('unavailable', 'The database cannot serve this now. Try again.', {
      retryAfterSeconds: 2,
      details: { ref },
    });
  return new ServiceError('internal', 'Something went wrong on our side.', { details: { ref } });
}

const isDatabaseAway = (error: unknown): boolean =>
  error instanceof DatabaseAway ||
  error instanceof ConnectionError ||
  error instanceof BackendTerminatedError ||
  error instanceof BackendTerminatedUnexpectedlyError ||
  error instanceof StatementTimeoutError ||
  saysNotNow(error);

/** slonik wraps what the server or the network said, more than once. */
function saysNotNow(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string')
      if (NOT_NOW.test(cause.code) || cause.code === 'ECONNREFUSED' || cause.code === 'ECONNRESET') return true;
  return false;
}

/** What express's body parser throws: an http-errors object with a type, or with zlib's code where unpacking failed. */
interface BodyError {
  type?: unknown;
  status: number;
  /** Of a body that is too large: the bytes that were allowed. */
  limit?: number;
}
const isBodyError = (error: unknown): error is BodyError =>
  typeof error === 'object' &&
  error !== null &&
  'status' in error &&
  (('type' in error && typeof error.type === 'string') || error.status === 400);

function bodyRefusal({ type, limit = 0 }: BodyError): ServiceError {
  if (type === 'entity.too.large')
    return new ServiceError('payload_too_large', `The body is larger than ${Math.floor(limit / 1_024)} kB.`);
  if (type === 'charset.unsupported' || type === 'encoding.unsupported')
    return new ServiceError('unsupported_media_type', 'Send the body as UTF-8 JSON, not compressed.');
  return invalid([{ path: 'body', code: 'json', message: 'The body is not valid JSON.' }]);
}
