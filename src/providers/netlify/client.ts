import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { readLinkedPages } from '../toolkit/pages.ts';

const NetlifyZone = z.object({ id: z.string(), name: z.string(), dns_servers: z.array(z.string()).nullish() });
export type NetlifyZone = z.infer<typeof NetlifyZone>;

const NetlifyRecord = z.object({
  id: z.string(),
  /** Absolute name. */
  hostname: z.string(),
  type: z.string(),
  value: z.string(),
  ttl: z.number().nullish(),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  flag: z.number().nullish(),
  tag: z.string().nullish(),
  /** Whether Netlify manages the record for one of the account's sites. */
  managed: z.boolean().nullish(),
});
export type NetlifyRecord = z.infer<typeof NetlifyRecord>;
export type NetlifyNewRecord = Omit<NetlifyRecord, 'id' | 'managed'>;

const PER_PAGE = 100;

export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });

  const list = <Item>(path: string, item: z.ZodType<Item>, call?: Call): Promise<Item[]> =>
    readLinkedPages(api, { path, query: { page: 1, per_page: PER_PAGE } }, z.array(item), call);
  const pathOf = (zoneId: string) => `/dns_zones/${encodeURIComponent(zoneId)}/dns_records`;

  return {
    zones: (call?: Call) => list('/dns_zones', NetlifyZone, call),

    records: (zoneId: string, call?: Call) => list(pathOf(zoneId), NetlifyRecord, call),

    create: (zoneId: string, record: NetlifyNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: pathOf(zoneId), json: record }, call),

    remove: (zoneId: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${pathOf(zoneId)}/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ message: z.string().optional(), errors: z.unknown().optional() });

/** Errors of a record come by field, in one of several forms; only the message shows a conflict. */
function reasonOf(body: unknown): Reason {
  const { message, errors } = Refused.safeParse(body).data ?? {};
  const text = [message, errors === undefined ? undefined : JSON.stringify(errors)].filter(Boolean).join(' ');
  return { text, code: /already exists|already been taken|conflict/i.test(text) ? 'conflict' : undefined };
}
