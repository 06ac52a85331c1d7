import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const VultrRecord = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  data: z.string(),
  priority: z.number(),
  ttl: z.number(),
});
export type VultrRecord = z.infer<typeof VultrRecord>;

const Paged = z.object({ meta: z.object({ links: z.object({ next: z.string() }) }) });
const Domains = Paged.extend({ domains: z.array(z.object({ domain: z.string() })) });
const Records = Paged.extend({ records: z.array(VultrRecord) });
const PER_PAGE = 500;

export function client(http: HttpAccount, key: string) {
  const api = jsonClient(http, { headers: bearer(key), reasonOf });

  const list = <Listing extends z.infer<typeof Paged>, Item>(
    path: string,
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    call?: Call,
  ): Promise<Item[]> =>
    readPages(http, '', async (cursor) => {
      const query = { per_page: PER_PAGE, ...(cursor === '' ? {} : { cursor }) };
      const listing = await api.read(schema, { method: 'GET', path, query }, call);
      return { items: itemsOf(listing), next: listing.meta.links.next || undefined };
    });

  return {
    domains: (call?: Call) => list('/domains', Domains, ({ domains }) => domains, call),

    records: (domain: string, call?: Call) =>
      list(`/domains/${domain}/records`, Records, ({ records }) => records, call),

    create: (domain: string, record: Omit<VultrRecord, 'id'>, call?: Call) =>
      api.send({ method: 'POST', path: `/domains/${domain}/records`, json: record }, call),

    remove: (domain: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `/domains/${domain}/records/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ error: z.string() });

/** 503 asks callers to slow down. A caller outside the key's access control list gets a 401, like an invalid key. */
function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const text = Refused.safeParse(body).data?.error;
  if (status === 503) return { text, code: 'rate_limited', retryAfterSeconds: 1 };
  if (text !== undefined && /already exists|conflict/i.test(text)) return { text, code: 'conflict' };
  return { text };
}
