import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { nextPage, readPages } from '../toolkit/pages.ts';

const DnsimpleZone = z.object({
  account_id: z.number(),
  name: z.string(),
  secondary: z.boolean().default(false),
  /** Whether DNSimple's name servers serve the zone. */
  active: z.boolean().default(true),
});
export type DnsimpleZone = z.infer<typeof DnsimpleZone>;

const DnsimpleRecord = z.object({
  id: z.number(),
  parent_id: z.number().nullish(),
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.number(),
  priority: z.number().nullish(),
  /** Only in plans with regional records. */
  regions: z.array(z.string()).nullish(),
  system_record: z.boolean().default(false),
});
export type DnsimpleRecord = z.infer<typeof DnsimpleRecord>;
export type NewRecord = Pick<DnsimpleRecord, 'name' | 'type' | 'content' | 'ttl' | 'priority' | 'regions'>;

const PER_PAGE = 100;

export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });

  const list = <T>(schema: z.ZodType<T>, path: string, query: Record<string, string>, call?: Call): Promise<T[]> => {
    const Page = z.object({ data: z.array(schema), pagination: z.object({ total_pages: z.number() }) });
    return readPages(http, 1, async (page) => {
      const request = { method: 'GET', path, query: { ...query, page, per_page: PER_PAGE } } as const;
      const { data, pagination } = await api.read(Page, request, call);
      return { items: data, next: nextPage(page, pagination.total_pages) };
    });
  };
  const recordsPath = (zone: string) => `/${zone.split('/').map(encodeURIComponent).join('/zones/')}/records`;

  return {
    /** Returns all accounts of the user for a user token, or the one account for an account token. */
    accounts: async (call?: Call): Promise<string[]> => {
      const Accounts = z.object({ data: z.array(z.object({ id: z.number() })) });
      const { data } = await api.read(Accounts, { method: 'GET', path: '/accounts' }, call);
      return data.map(({ id }) => String(id));
    },

    /** Returns the zones whose name contains the text, or all zones. */
    zones: (account: string, nameLike: string | undefined, call?: Call) =>
      list(DnsimpleZone, `/${encodeURIComponent(account)}/zones`, nameLike === undefined ? {} : { name_like: nameLike }, call), // prettier-ignore

    /** Returns the records of one name. The zone id is `account/name`, so the account is not looked up again. */
    recordsNamed: (zone: string, name: string, call?: Call) => list(DnsimpleRecord, recordsPath(zone), { name }, call),

    create: (zone: string, record: NewRecord, call?: Call) =>
      api.send({ method: 'POST', path: recordsPath(zone), json: record }, call),

    remove: (zone: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${recordsPath(zone)}/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.object({ message: z.string(), errors: z.record(z.string(), z.array(z.string())).nullish() });

/** Duplicates and conflicts come as 400 like every other invalid record; only the message differs. */
const CODES: readonly [number, RegExp, ProviderErrorCode][] = [
  [400, /already exists/i, 'already_exists'],
  [400, /cname.*(exist|conflict|other)|(exist|conflict).*cname/i, 'conflict'],
  [404, /^record/i, 'record_not_found'],
  [412, /./, 'plan_required'],
];

function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { message = '', errors } = Refused.safeParse(body).data ?? {};
  const details = Object.entries(errors ?? {}).map(([field, faults]) => `${field}: ${faults.join(', ')}`);
  const text = [message, ...details].join(' ');
  const code = CODES.find(([of, words]) => of === status && words.test(text))?.[2];
  return { text, code };
}
