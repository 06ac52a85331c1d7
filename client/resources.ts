import type { Client } from 'openapi-fetch';
import { ApiError } from './errors.ts';
import type { components, paths } from './schema.d.ts';
import { waitUntil } from './wait-until.ts';

type Schemas = components['schemas'];
type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';
type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;
export type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never;
type Query<P extends keyof paths> =
  Operation<P, 'get'> extends { parameters: { query?: infer Q } } ? Omit<NonNullable<Q>, 'cursor'> : never;

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the content of an answer, and throws an ApiError for every answer that is none. */
export async function contentOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiError(response, error as Partial<Schemas['Error']> | undefined);
  return data as T;
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** Yields every item of a list, page by page: `for await (const connection of paginate((cursor) => …))`. */
export async function* paginate<T>(page: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await page(cursor);
    yield* data;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The beginning of a page. The first page has none. */
type From = { cursor?: string };
const everyItem = <T>(page: (from: From) => Promise<Page<T>>): AsyncGenerator<T> =>
  paginate((cursor) => page(cursor === undefined ? {} : { cursor }));

/** The resources of the API as functions that return the content of an answer, and throw an ApiError. */
export function resourcesOf(api: Client<paths>) {
  const at = (id: string) => ({ params: { path: { id } } });
  return {
    connections: {
      /** Connects a hostname, or resumes its connection. */
      create: (body: Body<'/v1/connections', 'post'>) => contentOf(api.POST('/v1/connections', { body })),
      get: (id: string) => contentOf(api.GET('/v1/connections/{id}', at(id))),
      update: (id: string, body: Body<'/v1/connections/{id}', 'patch'>) =>
        contentOf(api.PATCH('/v1/connections/{id}', { ...at(id), body })),
      /** Ends the connection, frees its hostname, and removes the records that the service wrote. */
      archive: (id: string) => contentOf(api.DELETE('/v1/connections/{id}', at(id))),
      list: (query: Query<'/v1/connections'> = {}) =>
        everyItem((from) => contentOf(api.GET('/v1/connections', { params: { query: { ...query, ...from } } }))),
      /** Checks the ownership record now. */
      verify: (id: string) => contentOf(api.POST('/v1/connections/{id}/verify', at(id))),
      checkRecords: (id: string) => contentOf(api.POST('/v1/connections/{id}/records:check', at(id))),
      share: (id: string, body: Body<'/v1/connections/{id}/share', 'post'> = {}) =>
        contentOf(api.POST('/v1/connections/{id}/share', { ...at(id), body })),
      /** Polls until the connection is in this state. Throws a NotReachedError if it fails, is archived, or takes too long. */
      waitUntil: waitUntil(api),
    },
    domains: {
      check: (body: Body<'/v1/domains:check', 'post'>) => contentOf(api.POST('/v1/domains:check', { body })),
    },
    tokens: {
      create: (body: Body<'/v1/tokens', 'post'>) => contentOf(api.POST('/v1/tokens', { body })),
    },
    batches: {
      create: (body: Body<'/v1/batches', 'post'>) => contentOf(api.POST('/v1/batches', { body })),
      get: (id: string) => contentOf(api.GET('/v1/batches/{id}', at(id))),
    },
    applications: {
      create: (body: Body<'/v1/applications', 'post'>) => contentOf(api.POST('/v1/applications', { body })),
      get: (id: string) => contentOf(api.GET('/v1/applications/{id}', at(id))),
      update: (id: string, body: Body<'/v1/applications/{id}', 'patch'>) =>
        contentOf(api.PATCH('/v1/applications/{id}', { ...at(id), body })),
      list: () => everyItem((from) => contentOf(api.GET('/v1/applications', { params: { query: from } }))),
    },
    webhookEndpoints: {
      create: (body: Body<'/v1/webhook-endpoints', 'post'>) => contentOf(api.POST('/v1/webhook-endpoints', { body })),
      get: (id: string) => contentOf(api.GET('/v1/webhook-endpoints/{id}', at(id))),
      update: (id: string, body: Body<'/v1/webhook-endpoints/{id}', 'patch'>) =>
        contentOf(api.PATCH('/v1/webhook-endpoints/{id}', { ...at(id), body })),
      delete: (id: string) => contentOf(api.DELETE('/v1/webhook-endpoints/{id}', at(id))),
      list: (query: Query<'/v1/webhook-endpoints'> = {}) =>
        everyItem((from) => contentOf(api.GET('/v1/webhook-endpoints', { params: { query: { ...query, ...from } } }))),
      rotateSecret: (id: string) => contentOf(api.POST('/v1/webhook-endpoints/{id}:rotate-secret', at(id))),
      test: (id: string) => contentOf(api.POST('/v1/webhook-endpoints/{id}:test', at(id))),
      deliveries: (id: string, query: Query<'/v1/webhook-endpoints/{id}/deliveries'> = {}) =>
        everyItem((from) =>
          contentOf(
            api.GET('/v1/webhook-endpoints/{id}/deliveries', {
              params: { path: { id }, query: { ...query, ...from } },
            }),
          ),
        ),
    },
    deliveries: {
      get: (id: string) => contentOf(api.GET('/v1/deliveries/{id}', at(id))),
      replay: (id: string) => contentOf(api.POST('/v1/deliveries/{id}:replay', at(id))),
    },
    events: {
      get: (id: string) => contentOf(api.GET('/v1/events/{id}', at(id))),
      list: (query: Query<'/v1/events'> = {}) =>
        everyItem((from) => contentOf(api.GET('/v1/events', { params: { query: { ...query, ...from } } }))),
    },
  };
}
