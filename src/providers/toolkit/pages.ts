import type { z } from 'zod';
import type { Call } from '../call.ts';
import { readJson } from './answer.ts';
import type { HttpAccount, HttpRequest } from './http.ts';
import type { JsonClient } from './json-client.ts';

export interface ListingPage<Item, Next> {
  items: readonly Item[];
  /** Marker of the next page; undefined on the last page. */
  next: Next | undefined;
}

/** Maximum number of entries in a listing. A larger account would cost minutes and memory at every check. */
const ITEMS_MAX = 5_000;

/** Reads a listing to its end. Refuses a repeated marker, which would never end, and a listing that is too long. */
export async function readPages<Item, Next>(
  http: HttpAccount,
  first: Next,
  read: (next: Next) => Promise<ListingPage<Item, Next>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const asked = new Set<string>();
  for (let next: Next | undefined = first; next !== undefined;) {
    const marker = JSON.stringify(next);
    if (asked.has(marker)) throw http.error('transient', 'its listing repeats a page.');
    asked.add(marker);
    const page: ListingPage<Item, Next> = await read(next);
    items.push(...page.items);
    if (items.length > ITEMS_MAX) throw http.error('validation', TOO_MANY);
    next = page.next;
  }
  return items;
}

const TOO_MANY = `it lists more than ${ITEMS_MAX} entries. Use a credential that is limited to fewer zones.`;

/** Returns the next page of a listing that is numbered from 1 and reports its number of pages. */
export const nextPage = (page: number, pages: number): number | undefined => (page < pages ? page + 1 : undefined);

/** Returns the request for an absolute link. Only the account's own server is asked: it alone may get a credential. */
export function requestOfLink(http: HttpAccount, link: string): Pick<HttpRequest, 'path' | 'query'> {
  const base = http.url({ path: '' });
  const url = URL.parse(link, base);
  const root = base.pathname.replace(/\/$/, '');
  if (url?.origin !== base.origin || !url.pathname.startsWith(`${root}/`))
    throw http.error('transient', 'its listing continues at an address of another server.');
  return { path: url.pathname.slice(root.length), query: Object.fromEntries(url.searchParams) };
}

/** Reads a listing in which each page names the next one in a Link header. */
export const readLinkedPages = <Item>(
  { http, send }: JsonClient,
  first: Pick<HttpRequest, 'path' | 'query'>,
  schema: z.ZodType<readonly Item[]>,
  call?: Call,
): Promise<Item[]> =>
  readPages(http, first, async (location) => {
    const answer = await send({ method: 'GET', ...location }, call);
    const next = nextLink(answer.header('link'));
    return { items: readJson(http, answer, schema), next: next === undefined ? undefined : requestOfLink(http, next) };
  });

/** Returns the URL with `rel="next"` in a Link header (RFC 8288), if there is one. */
export const nextLink = (header: string | undefined): string | undefined =>
  (header ?? '').split(/,\s*(?=<)/).flatMap((part) => /^<([^>]*)>.*;\s*rel="?next"?/i.exec(part)?.[1] ?? [])[0];
