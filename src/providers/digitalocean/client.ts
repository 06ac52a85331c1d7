import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const DoRecord = z.object({
  id: z.number(),
  type: z.string(),
  name: z.string(),
  data: z.string(),
  ttl: z.number(),
  priority: z.number().nullish(),
  port: z.number().nullish(),
  weight: z.number().nullish(),
  flags: z.number().nullish(),
  tag: z.string().nullish(),
});
export type DoRecord = z.infer<typeof DoRecord>;
export type DoNewRecord = Omit<DoRecord, 'id'>;

const Paged = z.object({ links: z.object({ pages: z.object({ next: z.string().optional() }).optional() }).optional() });
const Domains = Paged.extend({ domains: z.array(z.object({ name: z.string() })) });
const Records = Paged.extend({ domain_records: z.array(DoRecord) });
const PER_PAGE = 200;

export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });

  const list = <Listing extends z.infer<typeof Paged>, Item>(
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    { path, query = {} }: { path: string; query?: Record<string, string> },
    call?: Call,
  ): Promise<Item[]> =>
    readPages(http, 1, async (page) => {
      const listing = await api.read(
        schema,
        { method: 'GET', path, query: { ...query, page, per_page: PER_PAGE } },
        call,
      );
      return { items: itemsOf(listing), next: listing.links?.pages?.next === undefined ? undefined : page + 1 };
    });

  return {
    domains: (call?: Call) => list(Domains, ({ domains }) => domains, { path: '/domains' }, call),

    domain: (name: string, call?: Call) =>
      api.read(z.object({ domain: z.object({ name: z.string() }) }), { method: 'GET', path: `/domains/${name}` }, call),

    /** Returns the records of one name. The filter expects the full name, although records contain it relative. */
    recordsNamed: (zone: string, name: string, call?: Call) =>
      list(
        Records,
        ({ domain_records }) => domain_records,
        { path: `/domains/${zone}/records`, query: { name } },
        call,
      ),

    create: (zone: string, record: DoNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: `/domains/${zone}/records`, json: record }, call),

    remove: (zone: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `/domains/${zone}/records/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ id: z.string(), message: z.string() });

/** Conflicts come as 422 like every other invalid record; only the message differs. */
function reasonOf(body: unknown): Reason {
  const { message } = Refused.safeParse(body).data ?? {};
  const isConflict = message !== undefined && /cannot share a name|already (exists|in use)/i.test(message);
  return { text: message, code: isConflict ? 'conflict' : undefined };
}
