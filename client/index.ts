import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

export type { components, paths };
export type ServiceClient = Client<paths>;
export type Connection = components['schemas']['Connection'];
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
export type ConnectionDetail = components['schemas']['ConnectionDetail'];
export type * from './widget.d.ts';

/**
 * Creates a client whose paths, parameters, bodies and answers are typed by the service's OpenAPI document. It throws only
 * if the service does not answer. An error answer is returned in `error`.
 */
export function createClient(options: {
  baseUrl: string;
  /** API key or widget token. */
  credential: string;
  fetch?: (request: Request) => Promise<Response>;
}): ServiceClient {
  return createFetchClient<paths>({
    baseUrl: options.baseUrl,
    headers: { Authorization: `Bearer ${options.credential}` },
    ...(options.fetch ? { fetch: options.fetch } : {}),
  });
}

/** Yields every item of a list, page by page: `for await (const connection of paginate((cursor) => …))`. */
export async function* paginate<T>(
  page: (cursor: string | undefined) => Promise<{ data: T[]; next_cursor: string | null }>,
): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await page(cursor);
    yield* data;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}
