import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const Links = z.array(z.object({ rel: z.string(), href: z.string() })).nullish();
const GodaddyDomain = z.object({ domain: z.string(), nameServers: z.array(z.string()).nullish() });
export type GodaddyDomain = z.infer<typeof GodaddyDomain>;

export const GodaddyNewRecord = z.object({
  name: z.string(),
  type: z.string(),
  data: z.string(),
  ttl: z.number(),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  service: z.string().nullish(),
  protocol: z.string().nullish(),
  flag: z.number().nullish(),
  tag: z.string().nullish(),
});
export type GodaddyNewRecord = z.infer<typeof GodaddyNewRecord>;
const GodaddyRecord = GodaddyNewRecord.extend({ recordId: z.string() });
export type GodaddyRecord = z.infer<typeof GodaddyRecord>;

const Domains = z.object({ items: z.array(GodaddyDomain).nullish(), links: Links });
const Records = z.object({ items: z.array(GodaddyRecord).nullish(), links: Links, totalPages: z.number().nullish() });
const PAGE_SIZE = 100;

/** Never replaces records: the PUT of version 3 deletes every other record of the zone (godaddy/cli issue 136). */
export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });
  const recordsOf = (zone: string) => `/v3/domains/zones/${encodeURIComponent(zone)}/dns-records`;

  return {
    domains: (call?: Call) =>
      readPages(http, '', async (pageToken) => {
        const query = { pageSize: PAGE_SIZE, ...(pageToken === '' ? {} : { pageToken }) };
        const listing = await api.read(Domains, { method: 'GET', path: '/v3/domains/domain-names', query }, call);
        return { items: listing.items ?? [], next: nextToken(http, listing.links) };
      }),

    records: (zone: string, call?: Call) =>
      readPages(http, 1, async (page) => {
        const query = { page, pageSize: PAGE_SIZE, totalRequired: 'true' };
        const listing = await api.read(Records, { method: 'GET', path: recordsOf(zone), query }, call);
        const isLast = page >= (listing.totalPages ?? 1) && !listing.links?.some(({ rel }) => rel === 'next');
        return { items: listing.items ?? [], next: isLast ? undefined : page + 1 };
      }),

    create: (zone: string, record: GodaddyNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: recordsOf(zone), json: record }, call),

    remove: (zone: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${recordsOf(zone)}/${encodeURIComponent(id)}` }, call),
  };
}

/** Takes only the token from the next page's URL: an answer must not decide where requests are sent. */
function nextToken(http: HttpAccount, links: z.infer<typeof Links>): string | undefined {
  const next = links?.find(({ rel }) => rel === 'next');
  return (next && URL.parse(next.href, http.url({ path: '/' }))?.searchParams.get('pageToken')) ?? undefined;
}

const Refused = z.object({
  name: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  retryAfterSec: z.number().optional(),
  details: z.array(z.object({ issue: z.string().nullish(), description: z.string().nullish() })).nullish(),
});

const MEANINGS: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  [/duplicate_record/i, 'already_exists'],
  [/dns_record_not_mutable|conflict/i, 'conflict'],
];

/** Old and new services answer behind one URL, so error names differ in case and in the field that contains them. */
function reasonOf(body: unknown, { status, retryAfterSeconds }: HttpAnswer): Reason {
  const { name, code, message, details, retryAfterSec } = Refused.safeParse(body).data ?? {};
  const issues = (details ?? []).flatMap(({ issue, description }) => [issue, description]);
  const text = [name ?? code, message, ...issues].filter((part) => part != null && part !== '').join(': ');
  const seconds = retryAfterSec ?? retryAfterSeconds;
  if (status === 429 && /quota_exceeded/i.test(text) && seconds === undefined) return { text, code: 'plan_required' };
  if (status === 503 && seconds !== undefined) return { text, code: 'rate_limited', retryAfterSeconds: seconds };
  return { text, retryAfterSeconds: seconds, code: MEANINGS.find(([words]) => words.test(text))?.[1] };
}
