import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const ScalewayZone = z.object({
  domain: z.string(),
  /** Name of the zone below the domain; empty for the domain itself. */
  subdomain: z.string(),
  ns: z.array(z.string()).nullish(),
  status: z.string(),
});
export type ScalewayZone = z.infer<typeof ScalewayZone>;

const ScalewayRecord = z.looseObject({
  id: z.string(),
  /** Relative name; empty at the apex. */
  name: z.string(),
  type: z.string(),
  /** Value in zone-file form, with the priority of MX and SRV. */
  data: z.string(),
  ttl: z.number(),
  comment: z.string().nullish(),
});
export type ScalewayRecord = z.infer<typeof ScalewayRecord>;

export interface ScalewayNewRecord {
  name: string;
  type: string;
  data: string;
  ttl: number;
  comment?: string;
}

const Paged = z.object({ total_count: z.number() });
const Zones = Paged.extend({ dns_zones: z.array(ScalewayZone) });
const Records = Paged.extend({ records: z.array(ScalewayRecord) });
const PAGE_SIZE = 100;

export function client(http: HttpAccount, secretKey: string) {
  const api = jsonClient(http, { headers: () => ({ 'x-auth-token': secretKey }), reasonOf });

  /** Reads a listing. The server may return fewer entries than requested, so the total count decides. */
  const list = <Page extends z.infer<typeof Paged>, Item>(
    path: string,
    schema: z.ZodType<Page>,
    itemsOf: (page: Page) => readonly Item[],
    call?: Call,
  ): Promise<Item[]> =>
    readPages(http, { page: 1, seen: 0 }, async ({ page, seen }) => {
      const query = { page, page_size: PAGE_SIZE };
      const listing = await api.read(schema, { method: 'GET', path, query }, call);
      const items = itemsOf(listing);
      const count = seen + items.length;
      const isEnd = items.length === 0 || count >= listing.total_count;
      return { items, next: isEnd ? undefined : { page: page + 1, seen: count } };
    });
  const recordsPath = (zone: string) => `/dns-zones/${encodeURIComponent(zone)}/records`;

  return {
    zones: (call?: Call) => list('/dns-zones', Zones, ({ dns_zones }) => dns_zones, call),

    records: (zone: string, call?: Call) => list(recordsPath(zone), Records, ({ records }) => records, call),

    /** Makes all deletions and additions in one version of the zone. */
    change: (zone: string, remove: readonly string[], add: readonly ScalewayNewRecord[], call?: Call) => {
      const changes = [
        ...remove.map((id) => ({ delete: { id } })),
        ...(add.length > 0 ? [{ add: { records: add } }] : []),
      ];
      const json = { return_all_records: false, disallow_new_zone_creation: true, changes };
      return api.send({ method: 'PATCH', path: recordsPath(zone), json }, call);
    },
  };
}

const Refused = z.object({
  type: z.string().optional(),
  message: z.string().optional(),
  resource: z.string().optional(),
  details: z.array(z.looseObject({ help_message: z.string().optional() })).nullish(),
});

const CODES: Record<string, ProviderErrorCode> = {
  denied_authentication: 'auth_failed',
  permissions_denied: 'forbidden_scope',
  invalid_arguments: 'validation',
  quotas_exceeded: 'plan_required',
  resource_expired: 'plan_required',
  transient_state: 'transient',
  locked: 'transient',
};

/** Scaleway's type of error is more exact than the status: authentication is denied with 401 or 403. */
function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { type = '', message, resource = '', details } = Refused.safeParse(body).data ?? {};
  const help = details?.flatMap(({ help_message }) => help_message ?? []) ?? [];
  const text = [...(message === undefined ? [] : [message]), ...help].join(': ') || undefined;
  return { text, code: status === 404 && resource === 'record' ? 'record_not_found' : CODES[type] };
}
