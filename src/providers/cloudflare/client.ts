import { z } from 'zod';
import { codeOfStatus, isSuccess, jsonOf, readJson, refusal } from '../toolkit/answer.ts';
import type { Call } from '../toolkit/call.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from '../toolkit/http.ts';
import type { ProviderError, ProviderErrorCode } from '../provider-error.ts';

const CfZone = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  type: z.string(),
  name_servers: z.array(z.string()).nullish(),
});
export type CfZone = z.infer<typeof CfZone>;

const CfRecord = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.number(),
  priority: z.number().nullish(),
  proxied: z.boolean().nullish(),
  comment: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  meta: z.object({ read_only: z.boolean().optional(), email_routing: z.boolean().optional() }).nullish(),
});
export type CfRecord = z.infer<typeof CfRecord>;

/** What a record is made from; `content` and `data` exclude each other. */
export interface CfNewRecord {
  name: string;
  type: string;
  ttl: number;
  content?: string;
  data?: Readonly<Record<string, string | number>>;
  priority?: number;
  proxied?: boolean;
  comment?: string;
  tags?: readonly string[];
}

/** An identical record came into being between our reading and our writing. */
export class AlreadyThere extends Error {}

const ZONES_PER_PAGE = 50;
const RECORDS_PER_PAGE = 100;

export function client(http: HttpAccount, apiToken: string) {
  const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };

  const send = async (request: HttpRequest, call: Call | undefined): Promise<HttpAnswer> => {
    const answer = await http.send({ ...request, headers }, call);
    if (isSuccess(answer)) return answer;
    throw refusalOf(http, request, answer);
  };

  const list = async <T>(
    path: string,
    item: z.ZodType<T>,
    query: Record<string, string | number>,
    call: Call | undefined,
  ): Promise<T[]> => {
    const Page = z.object({ result: z.array(item), result_info: z.object({ total_pages: z.number() }) });
    const items: T[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await send({ method: 'GET', path, query: { ...query, page } }, call);
      const { result, result_info } = readJson(http, answer, Page);
      items.push(...result);
      pages = result_info.total_pages;
    }
    return items;
  };

  return {
    zones: (filter: { name?: string }, call?: Call) =>
      list('/zones', CfZone, { ...filter, per_page: ZONES_PER_PAGE }, call),

    recordsNamed: (zoneId: string, name: string, call?: Call) => {
      const query = { 'name.exact': name, per_page: RECORDS_PER_PAGE };
      return list(`/zones/${encodeURIComponent(zoneId)}/dns_records`, CfRecord, query, call);
    },

    /** One database transaction: deletions first, then creations, or nothing at all. */
    batch: async (zoneId: string, deletes: readonly string[], posts: readonly CfNewRecord[], call?: Call) => {
      const path = `/zones/${encodeURIComponent(zoneId)}/dns_records/batch`;
      const body = JSON.stringify({ deletes: deletes.map((id) => ({ id })), posts });
      await send({ method: 'POST', path, body }, call);
    },
  };
}

const Refused = z.object({ errors: z.array(z.object({ code: z.number(), message: z.string() })) });

const CODES: Record<number, ProviderErrorCode> = {
  1001: 'zone_not_found',
  7003: 'zone_not_found',
  6003: 'auth_failed',
  9103: 'auth_failed',
  9109: 'auth_failed',
  81044: 'record_not_found',
  81053: 'conflict',
  81054: 'conflict',
};

const IDENTICAL_RECORD = new Set([81057, 81058]);

/** Cloudflare answers 400 to most things; its own number says which. */
function refusalOf(http: HttpAccount, request: HttpRequest, answer: HttpAnswer): ProviderError | AlreadyThere {
  const parsed = Refused.safeParse(jsonOf(answer.text));
  const [first] = parsed.success ? parsed.data.errors : [];
  if (!first) return refusal(http, request, answer);
  if (IDENTICAL_RECORD.has(first.code)) return new AlreadyThere();
  const code = CODES[first.code] ?? codeOfStatus(answer.status);
  return refusal(http, request, answer, { code, text: `${first.message} [${first.code}]` });
}
