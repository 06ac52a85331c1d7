/** Every code the API answers with, and the HTTP status it travels under. Codes are part of the contract: add, never rename. */
export const STATUS_OF = {
  invalid: 400,
  unauthorized: 401,
  QuotaExceeded: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  HostnameConflict: 409,
  ownership_not_found: 409,
  invalid_state: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  billing_unavailable: 502,
  provider_error: 502,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** One thing that is wrong with a request: where, which rule, and a sentence that says how to put it right. */
export interface Problem {
  path: string;
  code: string;
  message: string;
  suggestion?: string;
}

/**
 * A refusal the caller may read. Its message and details reach the answer as they stand, so they never hold a secret,
 * another tenant's data, SQL or a stack; what only operators may see belongs in `cause`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** Seconds after which trying again makes sense; becomes Retry-After. */
  readonly retryAfterSeconds: number | undefined;
  /** Fields of the answer in addition to `error`. Only QuotaExceeded has one. */
  readonly extraFields: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      details?: unknown;
      cause?: unknown;
      retryAfterSeconds?: number;
      extraFields?: Record<string, unknown>;
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = more.details ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.extraFields = more.extraFields ?? {};
  }
}

/** The same answer for "absent" and "not yours": one function, so the bytes cannot differ. */
export const notFound = () => new ServiceError('not_found', 'No such object.');

export const invalid = (problems: Problem[]) =>
  new ServiceError('invalid', problems.map((problem) => problem.message).join(' '), { details: problems });
