import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const NamecomRecord = z.object({
  id: z.number(),
  /** Ends in a dot. The relative name may be missing at the apex. */
  fqdn: z.string(),
  type: z.string(),
  answer: z.string(),
  ttl: z.number(),
  /** Absent if it is zero. */
  priority: z.number().nullish(),
});
export type NamecomRecord = z.infer<typeof NamecomRecord>;

export interface NamecomNewRecord {
  host: string;
  type: string;
  answer: string;
  ttl: number;
  priority?: number;
}

const Paged = z.object({ nextPage: z.number().nullish() });
const Domain = z.object({ domainName: z.string(), nameservers: z.array(z.string()).nullish() });
const Domains = Paged.extend({ domains: z.array(Domain) });
const Records = Paged.extend({ records: z.array(NamecomRecord).nullish() });
const PER_PAGE = 1_000;

export function client(http: HttpAccount, username: string, token: string) {
  const basic = Buffer.from(`${username}:${token}`).toString('base64');
  http.learnSecret(basic);
  const api = jsonClient(http, { headers: () => ({ authorization: `Basic ${basic}` }), reasonOf });

  const list = <Listing extends z.infer<typeof Paged>, Item>(
    path: string,
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    call?: Call,
  ): Promise<Item[]> =>
    readPages(http, 1, async (page) => {
      const listing = await api.read(schema, { method: 'GET', path, query: { perPage: PER_PAGE, page } }, call);
      return { items: itemsOf(listing), next: listing.nextPage || undefined };
    });
  const recordsOf = (domain: string) => `/domains/${encodeURIComponent(domain)}/records`;

  return {
    domains: (call?: Call) => list('/domains', Domains, ({ domains }) => domains, call),

    records: (domain: string, call?: Call) => list(recordsOf(domain), Records, ({ records }) => records ?? [], call),

    create: (domain: string, record: NamecomNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: recordsOf(domain), json: record }, call),

    remove: (domain: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${recordsOf(domain)}/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ message: z.string(), details: z.string().nullish() });

const MEANINGS: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  [/duplicate record/i, 'already_exists'],
  [/cname|conflict/i, 'conflict'],
  // Another provider serves the domain, or none does because it has expired. No other credential would help.
  [/authoritative name ?server|expired/i, 'conflict'],
];

/** The message contains the kind of refusal, the details contain its subject. */
function reasonOf(body: unknown): Reason {
  const { message, details } = Refused.safeParse(body).data ?? {};
  const text = message === undefined || details == null ? message : `${message}: ${details}`;
  return { text, code: MEANINGS.find(([words]) => text !== undefined && words.test(text))?.[1] };
}
