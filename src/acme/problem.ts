import type { Problem } from './messages.ts';

/** An ACME server refused a request (RFC 8555 section 6.7). */
export class AcmeError extends Error {
  override readonly name = 'AcmeError';
  /** Last part of the error type, such as `rateLimited`. */
  readonly type: string;
  readonly status: number;
  readonly detail: string;
  readonly retryAfterMs: number | null;

  constructor(status: number, problem: Problem, retryAfterMs: number | null = null) {
    super(`The certificate authority refused (${typeOf(problem)}): ${detailOf(problem)}`);
    this.type = typeOf(problem);
    this.status = status;
    this.detail = detailOf(problem);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server could not be reached, or its answer makes no sense. The request may be repeated. */
export class AcmeUnreachable extends Error {
  override readonly name = 'AcmeUnreachable';
}

/** Returns the last part of a type such as `urn:ietf:params:acme:error:caa`. */
export const typeOf = ({ type, subproblems }: Problem): string => {
  const [first] = subproblems;
  // Servers report one cause for several names as `compound` with the causes below it.
  const specific = type.endsWith(':compound') && first !== undefined ? first.type : type;
  return specific.split(':').at(-1) ?? specific;
};

const MAX_DETAIL = 500;

export const detailOf = ({ detail, subproblems }: Problem): string =>
  [detail, ...subproblems.map((one) => one.detail)]
    .filter((text) => text !== '')
    .join(' ')
    .slice(0, MAX_DETAIL);
