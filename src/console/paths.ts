import type { components, paths as Paths } from '../../client/schema.d.ts';

export type Schemas = components['schemas'];

export type { Paths };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof Paths]: M extends keyof Paths[P] ? (Paths[P][M] extends { responses: object } ? P : never) : never;
}[keyof Paths];

type Success = 200 | 201 | 202;
type Json<R> = R extends { content: { 'application/json': infer T } } ? T : undefined;
type Responses<P extends keyof Paths, M extends Method> = Paths[P][M & keyof Paths[P]] extends { responses: infer R }
  ? R
  : never;

/** Body of a successful answer. */
export type Answer<P extends keyof Paths, M extends Method> = {
  [S in keyof Responses<P, M>]: S extends Success ? Json<Responses<P, M>[S]> : never;
}[keyof Responses<P, M>];

/** Values for the {braces} of a path, and its query. */
export interface Given {
  params?: Readonly<Record<string, string>>;
  query?: Query;
}
export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** Fills in a path. Fields of the query without a value are left out. */
export function urlOf(path: string, { params = {}, query = {} }: Given = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = searchOf(query);
  return search === '' ? filled : `${filled}?${search}`;
}

export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  return search.toString();
}
