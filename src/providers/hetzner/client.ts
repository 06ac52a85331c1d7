import { z } from 'zod';
import type { Call, Clock } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import { readJson, type Reason } from '../toolkit/answer.ts';
import { afterWriting } from '../toolkit/apply-change.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { bearer, jsonClient, type JsonRequest } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';
import { pollUntil } from '../toolkit/poll.ts';

const HetznerZone = z.object({
  id: z.number(),
  name: z.string(),
  mode: z.string(),
  ttl: z.number(),
  authoritative_nameservers: z.object({ assigned: z.array(z.string()).default([]) }).optional(),
});
export type HetznerZone = z.infer<typeof HetznerZone>;

const Value = z.object({
  value: z.string(),
  comment: z
    .string()
    .nullish()
    .transform((comment) => comment ?? ''),
});
export type HetznerValue = z.infer<typeof Value>;

const RrSet = z.object({
  name: z.string(),
  type: z.string(),
  /** Null if the set uses the TTL of the zone. */
  ttl: z.number().nullable(),
  labels: z.record(z.string(), z.string()).default({}),
  protection: z.object({ change: z.boolean() }).optional(),
  records: z.array(Value),
});
export type RrSet = z.infer<typeof RrSet>;

const Paged = z.object({ meta: z.object({ pagination: z.object({ next_page: z.number().nullish() }) }).optional() });
const Zones = Paged.extend({ zones: z.array(HetznerZone) });
const RrSets = Paged.extend({ rrsets: z.array(RrSet) });
const Fault = z.object({ code: z.string(), message: z.string().optional() });
const Action = z.object({ id: z.number(), status: z.string(), error: Fault.nullish() });
const PER_PAGE = 50;

const POLL = { everyMs: 500, limitMs: 30_000 };

export function client(http: HttpAccount, token: string, clock: Clock) {
  const api = jsonClient(http, {
    headers: bearer(token),
    reasonOf: (body) => reasonOf(Refused.safeParse(body).data?.error),
  });

  const list = <Listing extends z.infer<typeof Paged>, Item>(
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    { path, query = {} }: { path: string; query?: Record<string, string> },
    call?: Call,
  ): Promise<Item[]> =>
    readPages(http, 1, async (page) => {
      const request = { method: 'GET', path, query: { ...query, page, per_page: PER_PAGE } } as const;
      const listing = await api.read(schema, request, call);
      return { items: itemsOf(listing), next: listing.meta?.pagination.next_page ?? undefined };
    });

  /** Sends a write and waits for its action, because Hetzner accepts a write before it makes the change. */
  const act = async (request: JsonRequest, call?: Call): Promise<void> => {
    const answer = await api.send(request, call);
    await afterWriting(async () => {
      const { action } = readJson(http, answer, z.object({ action: Action }));
      const ended = action.status === 'running' ? await pollUntil(clock, { ...POLL, signal: call?.signal }, () => endOf(action.id, call)) : action; // prettier-ignore
      if (ended?.status === 'success') return;
      const { code = 'transient', text = 'it did not make the change in time.' } = reasonOf(ended?.error ?? undefined);
      throw http.error(code, text);
    });
  };
  const endOf = async (id: number, call?: Call) => {
    const Actions = z.object({ actions: z.array(Action) });
    const { actions } = await api.read(Actions, { method: 'GET', path: '/actions', query: { id } }, call);
    return actions.find((action) => action.id === id && action.status !== 'running');
  };

  const zonePath = (zone: string) => `/zones/${encodeURIComponent(zone)}`;
  const setPath = (zone: string, { name, type }: Pick<RrSet, 'name' | 'type'>) => `${zonePath(zone)}/rrsets/${encodeURIComponent(name)}/${type}`; // prettier-ignore
  type Named = Pick<RrSet, 'name' | 'type'>;
  const change = (action: string) => (zone: string, set: Named, json: unknown, call?: Call) =>
    act({ method: 'POST', path: `${setPath(zone, set)}/actions/${action}`, json }, call);

  return {
    zones: (call?: Call) => list(Zones, ({ zones }) => zones, { path: '/zones' }, call),

    zone: async (idOrName: string, call?: Call) =>
      (await api.read(z.object({ zone: HetznerZone }), { method: 'GET', path: zonePath(idOrName) }, call)).zone,

    setsNamed: (zone: string, name: string, call?: Call) =>
      list(RrSets, ({ rrsets }) => rrsets, { path: `${zonePath(zone)}/rrsets`, query: { name } }, call),

    /** Creates a set. Hetzner refuses if the set exists. */
    create: (zone: string, set: Omit<RrSet, 'protection'>, call?: Call) =>
      act({ method: 'POST', path: `${zonePath(zone)}/rrsets`, json: set }, call),
    addRecords: change('add_records'),
    /** Removes records. Hetzner deletes a set that has no records left. */
    removeRecords: change('remove_records'),
    setRecords: change('set_records'),
    changeTtl: change('change_ttl'),
  };
}

const Refused = z.object({ error: Fault });

const CODES: Record<string, ProviderErrorCode> = {
  uniqueness_error: 'already_exists',
  // Not a conflict with another record: "the resource has changed during the request, please retry".
  conflict: 'transient',
  locked: 'transient',
  protected: 'conflict',
  rate_limit_exceeded: 'rate_limited',
  resource_limit_exceeded: 'plan_required',
};

/** A missing set or record, and a record that cannot coexist with another, differ only in the message. */
function reasonOf(fault: z.infer<typeof Fault> | undefined): Reason {
  const { code = '', message: text } = fault ?? {};
  if (code === 'not_found' && /rrset|record/i.test(text ?? '')) return { text, code: 'record_not_found' };
  if (code === 'invalid_input' && /conflict|cname/i.test(text ?? '')) return { text, code: 'conflict' };
  return { text, code: CODES[code] };
}
