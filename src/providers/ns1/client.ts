import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readLinkedPages } from '../toolkit/pages.ts';

const Ns1Zone = z.object({
  zone: z.string(),
  dns_servers: z.array(z.string()).nullish(),
  /** The zone whose records this zone serves in place of its own. */
  link: z.string().nullish(),
  secondary: z.object({ enabled: z.boolean().nullish() }).nullish(),
});
export type Ns1Zone = z.infer<typeof Ns1Zone>;

/** An answer can have a weight, a region and other settings that steer traffic. All of them are sent back unchanged. */
const Ns1Answer = z.looseObject({ answer: z.array(z.union([z.string(), z.number()])) });
export type Ns1Answer = z.infer<typeof Ns1Answer>;

const Ns1Record = z.looseObject({
  domain: z.string(),
  type: z.string(),
  ttl: z.number(),
  answers: z.array(Ns1Answer),
  filters: z.array(z.unknown()).nullish(),
  regions: z.record(z.string(), z.unknown()).nullish(),
  link: z.string().nullish(),
  tier: z.number().nullish(),
});
export type Ns1Record = z.infer<typeof Ns1Record>;

const Name = z.object({ domain: z.string(), type: z.string() });
const Names = z.object({ records: z.array(Name) }).transform(({ records }) => records);

export function client(http: HttpAccount, key: string) {
  const api = jsonClient(http, { headers: () => ({ 'x-nsone-key': key }), reasonOf, isRefusal });

  const pathOf = (zone: string, { domain, type }: z.infer<typeof Name>) =>
    `/zones/${encodeURIComponent(zone)}/${encodeURIComponent(domain)}/${encodeURIComponent(type)}`;

  return {
    zones: (call?: Call) => readLinkedPages(api, { path: '/zones' }, z.array(Ns1Zone), call),

    /** Lists the sets of a zone. Their values are abbreviated, without the other settings. */
    names: (zone: string, call?: Call) =>
      readLinkedPages(api, { path: `/zones/${encodeURIComponent(zone)}` }, Names, call),

    record: (zone: string, name: z.infer<typeof Name>, call?: Call) =>
      api.read(Ns1Record, { method: 'GET', path: pathOf(zone, name) }, call),

    /** Creates a set with PUT, which fails if the set exists. */
    create: (zone: string, record: Ns1Record, call?: Call) =>
      api.send({ method: 'PUT', path: pathOf(zone, record), json: { ...record, zone } }, call),

    /** Changes an existing set with POST. */
    update: (zone: string, record: Ns1Record, call?: Call) =>
      api.send({ method: 'POST', path: pathOf(zone, record), json: { ...record, zone } }, call),

    remove: (zone: string, name: z.infer<typeof Name>, call?: Call) =>
      api.send({ method: 'DELETE', path: pathOf(zone, name) }, call),
  };
}

const Refused = z.object({ message: z.string() });

/** Missing things are reported in the message, and not always by the status. */
const isRefusal = (body: unknown): boolean =>
  /^(zone|record) not found$/i.test(Refused.safeParse(body).data?.message ?? '');

const WORDS: readonly [RegExp, ProviderErrorCode][] = [
  [/record not found/i, 'record_not_found'],
  [/zone not found/i, 'zone_not_found'],
  // Another writer created the set between our read and our write. A new attempt reads it.
  [/record already exists/i, 'transient'],
  [/conflict|coexist/i, 'conflict'],
];

function reasonOf(body: unknown, { status, header }: HttpAnswer): Reason {
  const text = Refused.safeParse(body).data?.message;
  const [period, limit] = [Number(header('x-ratelimit-period')), Number(header('x-ratelimit-limit'))];
  if (status === 429) return { text, ...(period > 0 && limit > 0 && { retryAfterSeconds: Math.ceil(period / limit) }) };
  if (status === 405) return { text, code: 'conflict' };
  return { text, code: text === undefined ? undefined : WORDS.find(([words]) => words.test(text))?.[1] };
}
