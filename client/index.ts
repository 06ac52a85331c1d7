import createFetchClient, { type Client } from 'openapi-fetch';
import { reliableFetch } from './reliable-fetch.ts';
import { resourcesOf } from './resources.ts';
import type { components, paths } from './schema.d.ts';

export type { components, paths };
export type ServiceClient = Client<paths> & ReturnType<typeof resourcesOf>;
export type Connection = components['schemas']['Connection'];
export type ConnectionDetail = components['schemas']['ConnectionDetail'];
export { ApiError, NotReachedError } from './errors.ts';
export { paginate } from './resources.ts';
export type { WaitOptions } from './wait-until.ts';
export { verifyWebhook, WebhookVerificationError, type VerifyOptions, type WebhookEvent } from './webhooks.ts';
export {
  edgeOnly,
  EdgeVerificationError,
  RequestIds,
  verifyEdgeRequest,
  type EdgeRequest,
  type EdgeVerifyOptions,
  type RequestIdStore,
} from './edge.ts';
export type * from './widget.d.ts';

/**
 * Creates a client, typed by the service's OpenAPI document. `client.connections.create(…)` and the other resources return
 * the content of the answer, and throw an ApiError. `client.GET(path, …)`, `client.POST(path, …)` and so on cover every
 * path: they return `{ data, error, response }`, and throw only if the service does not answer.
 */
export function createClient(options: {
  baseUrl: string;
  /** API key or widget token. */
  credential: string;
  /** How often a request is repeated that was refused for a moment or lost. 3 if it is not given. */
  retries?: number;
  fetch?: (request: Request) => Promise<Response>;
}): ServiceClient {
  const { baseUrl, credential, retries = 3, fetch: original = (request: Request) => fetch(request) } = options;
  const api = createFetchClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${credential}` },
    fetch: retries === 0 ? original : reliableFetch(original, { retries }),
  });
  return Object.assign(api, resourcesOf(api));
}
