import type { components } from './schema.d.ts';

type ErrorBody = components['schemas']['Error'];

/** An error answer of the service. `code` is stable; `message` explains to people what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  /** Id of the request, which the service's log contains. */
  readonly requestId: string | null;
  /** Page where a larger plan can be chosen. Only with `QuotaExceeded`. */
  readonly upgradeUrl: string | undefined;

  constructor(response: Response, body: Partial<ErrorBody> | undefined) {
    const {
      code = 'unknown',
      message = `The service answered ${response.status}.`,
      details = null,
    } = body?.error ?? {};
    super(message);
    this.status = response.status;
    this.code = code;
    this.details = details;
    this.requestId = response.headers.get('x-request-id');
    this.upgradeUrl = body?.upgrade_url;
  }
}

/** A connection did not reach the state that the caller waited for: it failed, was archived, or the time was over. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError';
  readonly connection: components['schemas']['ConnectionDetail'];

  constructor(connection: components['schemas']['ConnectionDetail'], wanted: string) {
    const { hostname, state, findings } = connection;
    const fixes = findings.map(({ message, fix }) => ` ${message} ${fix ?? ''}`.trimEnd()).join('');
    super(`${hostname} is ${state}, not ${wanted}.${fixes}`);
    this.connection = connection;
  }
}
