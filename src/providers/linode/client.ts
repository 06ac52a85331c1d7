import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { nextPage, readPages } from '../toolkit/pages.ts';

const LinodeDomain = z.object({ id: z.number(), domain: z.string(), type: z.string() });
export type LinodeDomain = z.infer<typeof LinodeDomain>;

const LinodeRecord = z.object({
  id: z.number(),
  type: z.string(),
  name: z.string(),
  target: z.string(),
  ttl_sec: z.number(),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  service: z.string().nullish(),
  protocol: z.string().nullish(),
  tag: z.string().nullish(),
});
export type LinodeRecord = z.infer<typeof LinodeRecord>;
export type LinodeNewRecord = Omit<LinodeRecord, 'id'>;

const PAGE_SIZE = 500;

export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });

  const list = <T>(path: string, item: z.ZodType<T>, headers: Record<string, string>, call?: Call): Promise<T[]> =>
    readPages(http, 1, async (page) => {
      const Listing = z.object({ data: z.array(item), pages: z.number() });
      const query = { page, page_size: PAGE_SIZE };
      const { data, pages } = await api.read(Listing, { method: 'GET', path, query, headers }, call);
      return { items: data, next: nextPage(page, pages) };
    });

  return {
    domains: (call?: Call) => list('/domains', LinodeDomain, {}, call),

    domainsNamed: (domain: string, call?: Call) =>
      list('/domains', LinodeDomain, { 'x-filter': JSON.stringify({ domain }) }, call),

    records: (domainId: string, call?: Call) => list(`/domains/${domainId}/records`, LinodeRecord, {}, call),

    create: (domainId: string, record: LinodeNewRecord, call?: Call) =>
      api.read(LinodeRecord, { method: 'POST', path: `/domains/${domainId}/records`, json: record }, call),

    setTtl: (domainId: string, id: number, ttl_sec: number, call?: Call) =>
      api.send({ method: 'PUT', path: `/domains/${domainId}/records/${id}`, json: { ttl_sec } }, call),

    remove: (domainId: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `/domains/${domainId}/records/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ errors: z.array(z.object({ reason: z.string(), field: z.string().nullish() })) });

function reasonOf(body: unknown): Reason {
  const [first] = Refused.safeParse(body).data?.errors ?? [];
  if (!first) return {};
  return {
    text: first.field == null ? first.reason : `${first.field}: ${first.reason}`,
    code: /conflict|must be unique|already exists/i.test(first.reason) ? 'conflict' : undefined,
  };
}
