import type { HttpAccount, HttpRequest } from './http.ts';

export interface ListingPage<Item, Next> {
  items: readonly Item[];
  /** What asks for the page after this one; undefined on the last. */
  next: Next | undefined;
}

/** More than any listing of ours needs; an account beyond it would cost minutes and memory at every check. */
const ITEMS_MAX = 5_000;

/**
 * Reads a listing to its end, whatever the provider pages by: a number, a cursor, a marker, the address of the next page.
 * A provider that names a page again would keep us for ever, and is refused like one that lists too much.
 */
export async function readPages<Item, Next>(
  http: HttpAccount,
  first: Next,
  read: (next: Next) => Promise<ListingPage<Item, Next>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const asked = new Set<string>();
  for (let next: Next | undefined = first; next !== undefined;) {
    const marker = JSON.stringify(next);
    if (asked.has(marker)) throw http.error('transient', 'its listing leads back to a page that was read already.');
    asked.add(marker);
    const page: ListingPage<Item, Next> = await read(next);
    items.push(...page.items);
    if (items.length > ITEMS_MAX) throw http.error('validation', TOO_MANY);
    next = page.next;
  }
  return items;
}

const TOO_MANY = `it lists more than ${ITEMS_MAX} entries. Use a credential that is limited to fewer zones.`;

/** For listings numbered from 1 whose answer tells how many pages there are. */
export const nextPage = (page: number, pages: number): number | undefined => (page < pages ? page + 1 : undefined);

/**
 * The request that an absolute link of the provider means. Only links to the account's own server are followed: a
 * credential goes nowhere else.
 */
export function requestOfLink(http: HttpAccount, link: string): Pick<HttpRequest, 'path' | 'query'> {
  const base = http.url({ path: '' });
  const url = URL.parse(link, base);
  const root = base.pathname.replace(/\/$/, '');
  if (url?.origin !== base.origin || !url.pathname.startsWith(`${root}/`))
    throw http.error('transient', 'its listing goes on at an address that is not its own.');
  return { path: url.pathname.slice(root.length), query: Object.fromEntries(url.searchParams) };
}

/** The address with `rel="next"` in a Link header (RFC 8288), if there is one. */
export const nextLink = (header: string | undefined): string | undefined =>
  (header ?? '').split(/,\s*(?=<)/).flatMap((part) => /^<([^>]*)>.*;\s*rel="?next"?/i.exec(part)?.[1] ?? [])[0];
