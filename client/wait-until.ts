import type { Client } from 'openapi-fetch';
import { ApiError, NotReachedError } from './errors.ts';
import { wait } from './reliable-fetch.ts';
import type { components, paths } from './schema.d.ts';

type ConnectionDetail = components['schemas']['ConnectionDetail'];
type State = ConnectionDetail['state'];

export interface WaitOptions {
  /** Longest wait. 10 minutes if it is not given. */
  timeoutMs?: number;
  /** Called with the connection each time it has changed. */
  onChange?: (connection: ConnectionDetail) => void;
  signal?: AbortSignal;
}

/** States that a connection does not leave without a new request. */
const ENDED: ReadonlySet<State> = new Set(['failed', 'archived']);
const USUAL_WAIT_S = 3;

/** Polls a connection as often as the service asks for, without downloading an answer that has not changed. */
export const waitUntil =
  (api: Client<paths>) =>
  async (id: string, state: State, { timeoutMs = 600_000, onChange, signal }: WaitOptions = {}) => {
    const end = Date.now() + timeoutMs;
    let known: { connection: ConnectionDetail; etag: string | null } | undefined;
    for (;;) {
      const headers = known?.etag ? { 'If-None-Match': known.etag } : {};
      const { data, error, response } = await api.GET('/v1/connections/{id}', {
        params: { path: { id } },
        headers,
        ...(signal ? { signal } : {}),
      });
      if (data !== undefined) {
        known = { connection: data, etag: response.headers.get('etag') };
        onChange?.(data);
      } else if (response.status !== 304 || known === undefined) throw new ApiError(response, error);
      const { connection } = known;
      if (connection.state === state) return connection;
      const waitMs = Number(response.headers.get('retry-after') ?? USUAL_WAIT_S) * 1_000;
      if (ENDED.has(connection.state) || Date.now() + waitMs > end) throw new NotReachedError(connection, state);
      await wait(waitMs, signal ?? new AbortController().signal);
    }
  };
