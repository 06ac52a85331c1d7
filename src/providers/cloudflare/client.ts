import { z } from 'zod';
import type { Call } from '../call.ts';
import { ProviderError, type ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { nextPage, readPages } from '../toolkit/pages.ts';

const CfZone = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  type: z.string(),
  name_servers: z.array(z.string()).nullish(),
  account: z.object({ id: z.string() }).nullish(),
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
  settings: z.record(z.string(), z.unknown()).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  meta: z.object({ read_only: z.boolean().optional(), email_routing: z.boolean().optional() }).nullish(),
});
export type CfRecord = z.infer<typeof CfRecord>;

/** Fields of a new record. `content` and `data` exclude each other. */
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
  settings?: Readonly<Record<string, unknown>>;
}

const ZONES_PER_PAGE = 50;
const RECORDS_PER_PAGE = 100;

/** Prefix of tokens that belong to an account and not to a user. */
const ACCOUNT_TOKEN = 'cfat_';

export function client(http: HttpAccount, apiToken: string) {
  const api = jsonClient(http, { headers: bearer(apiToken), reasonOf });

  const list = <T>(path: string, item: z.ZodType<T>, query: Record<string, string | number>, call?: Call) => {
    const Listing = z.object({ result: z.array(item), result_info: z.object({ total_pages: z.number() }) });
    return readPages(http, 1, async (page) => {
      const { result, result_info } = await api.read(Listing, { method: 'GET', path, query: { ...query, page } }, call);
      return { items: result, next: nextPage(page, result_info.total_pages) };
    });
  };

  const endAt = async (owner: string, call?: Call): Promise<Date | undefined> => {
    const Verified = z.object({ result: z.object({ expires_on: z.iso.datetime({ offset: true }).nullish() }) });
    const { result } = await api.read(Verified, { method: 'GET', path: `${owner}/tokens/verify` }, call);
    return result.expires_on == null ? undefined : new Date(result.expires_on);
  };

  return {
    /** Returns the expiry of the token, if it has one. Cloudflare knows a token of an account only at that account. */
    tokenEnd: async (call?: Call): Promise<Date | undefined> => {
      const ofUser = apiToken.startsWith(ACCOUNT_TOKEN) ? 'refused' : await unlessRefused(() => endAt('/user', call));
      if (ofUser !== 'refused') return ofUser;
      const Listing = z.object({ result: z.array(CfZone) });
      const { result } = await api.read(Listing, { method: 'GET', path: '/zones', query: { per_page: 5 } }, call);
      const [zone] = result;
      return zone?.account ? endAt(`/accounts/${encodeURIComponent(zone.account.id)}`, call) : undefined;
    },

    zones: (filter: { name?: string }, call?: Call) =>
      list('/zones', CfZone, { ...filter, per_page: ZONES_PER_PAGE }, call),

    recordsNamed: (zoneId: string, name: string, call?: Call) => {
      const query = { 'name.exact': name, per_page: RECORDS_PER_PAGE };
      return list(`/zones/${encodeURIComponent(zoneId)}/dns_records`, CfRecord, query, call);
    },

    /** Makes all deletions and then all creations in one transaction. */
    batch: (zoneId: string, deletes: readonly string[], posts: readonly CfNewRecord[], call?: Call) => {
      const path = `/zones/${encodeURIComponent(zoneId)}/dns_records/batch`;
      return api.send({ method: 'POST', path, json: { deletes: deletes.map((id) => ({ id })), posts } }, call);
    },
  };
}

/** Returns `refused` for a token that this endpoint does not know. Older tokens of accounts have no prefix. */
async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'auth_failed') return 'refused';
    throw error;
  }
}

const Refused = z.object({ errors: z.array(z.object({ code: z.number(), message: z.string() })) });

const CODES: Record<number, ProviderErrorCode> = {
  1001: 'zone_not_found',
  7003: 'zone_not_found',
  6003: 'auth_failed',
  9103: 'auth_failed',
  9109: 'auth_failed',
  81044: 'record_not_found',
  81045: 'plan_required',
  81053: 'conflict',
  81054: 'conflict',
  // Another writer created an identical record between our read and our write.
  81057: 'already_exists',
  81058: 'already_exists',
};

/**
 * Returns the reason for a refusal. Cloudflare answers 400 to most failures, so its error number decides. Number 9109
 * has two meanings: the token is invalid, or the token has no permission for the zone.
 */
function reasonOf(body: unknown): Reason {
  const [first] = Refused.safeParse(body).data?.errors ?? [];
  if (!first) return {};
  const lacksPermission = first.code === 9109 && /unauthorized to access/i.test(first.message);
  return { code: lacksPermission ? 'forbidden_scope' : CODES[first.code], text: `${first.message} [${first.code}]` };
}
