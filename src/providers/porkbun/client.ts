import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

/** Numbers come as text. The priority of a type without priority is null. */
const PorkbunRecord = z.object({
  id: z.coerce.string(),
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.coerce.number(),
  prio: z.coerce.number().nullish(),
  notes: z.string().nullish(),
});
export type PorkbunRecord = z.infer<typeof PorkbunRecord>;

export interface PorkbunNewRecord {
  name: string;
  type: string;
  content: string;
  ttl: string;
  prio?: string;
  notes?: string;
}

const Done = z.object({ status: z.literal('SUCCESS') });
const Domains = Done.extend({ domains: z.array(z.object({ domain: z.string() })) });
const Records = Done.extend({ records: z.array(PorkbunRecord) });
const DOMAINS_PER_PAGE = 1_000;

/** Every request is a POST with the keys in its body. Only the path shows whether it writes. */
export function client(http: HttpAccount, keys: { apikey: string; secretapikey: string }) {
  const api = jsonClient(http, { headers: () => ({}), reasonOf, isRefusal: (body) => Failed.safeParse(body).success });
  const ask = <T>(schema: z.ZodType<T>, path: string, more: Record<string, string>, call?: Call): Promise<T> =>
    api.read(schema, { method: 'POST', path, writes: false, json: { ...keys, ...more } }, call);
  const write = (path: string, more: object, call?: Call) =>
    api.send({ method: 'POST', path, json: { ...keys, ...more } }, call);

  return {
    domains: (call?: Call) =>
      readPages(http, 0, async (start) => {
        const { domains } = await ask(Domains, '/domain/listAll', { start: String(start) }, call);
        return { items: domains, next: domains.length < DOMAINS_PER_PAGE ? undefined : start + domains.length };
      }),

    records: async (domain: string, call?: Call) =>
      (await ask(Records, `/dns/retrieve/${encodeURIComponent(domain)}`, {}, call)).records,

    create: (domain: string, record: PorkbunNewRecord, call?: Call) =>
      write(`/dns/create/${encodeURIComponent(domain)}`, record, call),

    /** Deletes a record by its id. The calls with a name and a type would delete every value there. */
    remove: (domain: string, id: string, call?: Call) =>
      write(`/dns/delete/${encodeURIComponent(domain)}/${encodeURIComponent(id)}`, {}, call),
  };
}

const Failed = z.object({ status: z.literal('ERROR'), message: z.string().optional() });

const MEANINGS: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  [/not opted in|api access/i, 'forbidden_scope'],
  [/api ?key/i, 'auth_failed'],
  [/invalid domain/i, 'zone_not_found'],
  [/invalid record id/i, 'record_not_found'],
  [/rate limit|too many requests/i, 'rate_limited'],
  [/unable to (create|edit)/i, 'conflict'],
];

/** Nearly every refusal is a 400, so only the message shows its kind. 503 asks the caller to slow down. */
function reasonOf(body: unknown, { status, retryAfterSeconds }: HttpAnswer): Reason {
  const text = Failed.safeParse(body).data?.message;
  if (status === 503) return { text, code: 'rate_limited', retryAfterSeconds: retryAfterSeconds ?? PAUSE_SECONDS };
  return { text, code: MEANINGS.find(([words]) => text !== undefined && words.test(text))?.[1] };
}

/** Porkbun blocks a caller for longer if it returns within a second. */
const PAUSE_SECONDS = 2;
