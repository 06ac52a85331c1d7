import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient, type JsonRequest } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const VercelDomain = z.object({
  name: z.string(),
  intendedNameservers: z.array(z.string()).nullish(),
  customNameservers: z.array(z.string()).nullish(),
});
export type VercelDomain = z.infer<typeof VercelDomain>;

const VercelRecord = z.object({
  id: z.string(),
  /** Relative name; empty at the apex. */
  name: z.string(),
  type: z.string(),
  value: z.string(),
  ttl: z.number().nullish(),
  mxPriority: z.number().nullish(),
  /** Priority of an SRV record, whose value contains the weight, the port and the target. */
  priority: z.number().nullish(),
  /** The user who created the record, or `system`. */
  creator: z.string(),
  comment: z.string().nullish(),
});
export type VercelRecord = z.infer<typeof VercelRecord>;

export interface VercelNewRecord {
  name: string;
  type: string;
  ttl: number;
  value?: string;
  mxPriority?: number;
  srv?: { priority: number; weight: number; port: number; target: string };
  comment?: string;
}

const Paged = z.object({ pagination: z.object({ next: z.number().nullish() }).nullish() });
const Domains = Paged.extend({ domains: z.array(VercelDomain) });
const Records = Paged.extend({ records: z.array(VercelRecord) });
const LIMIT = 100;

export function client(http: HttpAccount, token: string, team: string | undefined) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });
  const scope: Record<string, string> =
    team === undefined ? {} : team.startsWith('team_') ? { teamId: team } : { slug: team };
  const scoped = (request: JsonRequest): JsonRequest => ({ ...request, query: { ...scope, ...request.query } });

  /** Reads a listing, newest first. Even the last page has a next marker, so the number of entries decides. */
  const list = <Listing extends z.infer<typeof Paged>, Item>(
    path: string,
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    call?: Call,
  ): Promise<Item[]> =>
    readPages<Item, number>(http, 0, async (until) => {
      const query = { limit: LIMIT, ...(until > 0 && { until }) };
      const listing = await api.read(schema, scoped({ method: 'GET', path, query }), call);
      const items = itemsOf(listing);
      return { items, next: items.length < LIMIT ? undefined : (listing.pagination?.next ?? undefined) };
    });

  const domainPath = (domain: string) => `/domains/${encodeURIComponent(domain)}/records`;
  return {
    domains: (call?: Call) => list('/v5/domains', Domains, ({ domains }) => domains, call),

    records: async (domain: string, call?: Call): Promise<VercelRecord[]> => {
      const listed = await list(`/v5${domainPath(domain)}`, Records, ({ records }) => records, call);
      // An entry at the border of two pages can be on both.
      return [...new Map(listed.map((record) => [record.id, record])).values()];
    },

    create: (domain: string, record: VercelNewRecord, call?: Call) =>
      api.send(scoped({ method: 'POST', path: `/v2${domainPath(domain)}`, json: record }), call),

    remove: (domain: string, id: string, call?: Call) =>
      api.send(scoped({ method: 'DELETE', path: `/v2${domainPath(domain)}/${encodeURIComponent(id)}` }), call),
  };
}

const Refused = z.object({
  error: z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    invalidToken: z.boolean().optional(),
  }),
});

/** An unknown token comes as 403, like a missing right; only a flag in the body differs. */
function reasonOf(body: unknown): Reason {
  const { code = '', message: text, invalidToken } = Refused.safeParse(body).data?.error ?? {};
  if (invalidToken === true) return { text, code: 'auth_failed' };
  if (/conflict|^dup_|already_exists/i.test(code)) return { text, code: 'conflict' };
  return { text, code: code === 'rate_limited' ? 'rate_limited' : undefined };
}
