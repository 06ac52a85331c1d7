/** Every error code of the API with its HTTP status. Codes are part of the contract: add codes, never rename them. */
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

/** One problem of a request: the field, the rule, and a sentence that explains how to fix it. */
export interface Problem {
  path: string;
  code: string;
  message: string;
  suggestion?: string;
}

/** An error that the caller may read: no secrets, other tenants' data, SQL or stack traces. For operators: `cause`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** Seconds until a retry makes sense. Sent as Retry-After. */
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

/** Returns one error for "does not exist" and for "belongs to another tenant", so the two responses cannot differ. */
export const notFound = () => new ServiceError('not_found', 'No such object.');

export const invalid = (problems: Problem[]) =>
  new ServiceError('invalid', problems.map((problem) => problem.message).join(' '), { details: problems });
