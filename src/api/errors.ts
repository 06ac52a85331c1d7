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

/** Turns every error into an answer. An internal error gives the caller only a reference into the log. */
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
    response.status(STATUS_OF[refusal.code]).json({
      error: { code: refusal.code, message: refusal.message, details: refusal.details },
      ...refusal.extraFields,
    });
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
  isTemporary(error);

/** Searches all causes of an error, because slonik wraps errors of the server and the network several times. */
function isTemporary(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string')
      if (NOT_NOW.test(cause.code) || cause.code === 'ECONNREFUSED' || cause.code === 'ECONNRESET') return true;
  return false;
}

/** Error of express's body parser: an http-errors object with a type, or with zlib's code if decompression failed. */
interface BodyError {
  type?: unknown;
  status: number;
  /** Maximum size in bytes, if the body is too large. */
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
