import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import { readJson, type Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { bearer, jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const Domain = z.object({ fqdn: z.string() });

const RrSet = z.object({
  rrset_name: z.string(),
  rrset_type: z.string(),
  rrset_ttl: z.number(),
  rrset_values: z.array(z.string()),
});
export type RrSet = z.infer<typeof RrSet>;
export type SetContent = { rrset_ttl: number; rrset_values: readonly string[] };

const PER_PAGE = 500;

export function client(http: HttpAccount, token: string, sharingId: string | undefined) {
  const api = jsonClient(http, { headers: bearer(token), reasonOf });
  const shared: Record<string, string> = sharingId === undefined ? {} : { sharing_id: sharingId };

  /** Reads a listing. A header contains the total number of items. */
  const list = <T>(schema: z.ZodType<T>, path: string, call?: Call): Promise<T[]> =>
    readPages(http, 1, async (page) => {
      const answer = await api.send({ method: 'GET', path, query: { ...shared, page, per_page: PER_PAGE } }, call);
      const total = Number(answer.header('total-count') ?? 0);
      return { items: readJson(http, answer, z.array(schema)), next: page * PER_PAGE < total ? page + 1 : undefined };
    });

  const domainPath = (domain: string) => `/domains/${encodeURIComponent(domain)}`;
  const setPath = (domain: string, name: string, type: string) =>
    `${domainPath(domain)}/records/${encodeURIComponent(name)}/${type}`;

  return {
    domains: (call?: Call) => list(Domain, '/domains', call),

    domain: (name: string, call?: Call) =>
      api.read(Domain, { method: 'GET', path: domainPath(name), query: shared }, call),

    sets: (domain: string, call?: Call) => list(RrSet, `${domainPath(domain)}/records`, call),

    /** Creates a set. Gandi refuses if the set exists. */
    create: (domain: string, name: string, type: string, json: SetContent, call?: Call) =>
      api.send({ method: 'POST', path: setPath(domain, name, type), query: shared, json }, call),

    /** Replaces the set, with no regard to its current values. */
    replace: (domain: string, name: string, type: string, json: SetContent, call?: Call) =>
      api.send({ method: 'PUT', path: setPath(domain, name, type), query: shared, json }, call),

    remove: (domain: string, name: string, type: string, call?: Call) =>
      api.send({ method: 'DELETE', path: setPath(domain, name, type), query: shared }, call),
  };
}

const Refused = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ description: z.string() })).default([]),
});

/** Errors of a record come as a list of descriptions; only their text shows the kind of error. */
const CODES: readonly [RegExp, ProviderErrorCode][] = [
  [/find the dns record/i, 'record_not_found'],
  [/record already exists/i, 'already_exists'],
  [/cname|conflict/i, 'conflict'],
];

function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { message, errors = [] } = Refused.safeParse(body).data ?? {};
  const text = errors.length > 0 ? errors.map(({ description }) => description).join(' ') : message;
  const isOfRecord = status === 400 || status === 404 || status === 409;
  return { text, code: isOfRecord ? CODES.find(([words]) => words.test(text ?? ''))?.[1] : undefined };
}
