import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readLinkedPages } from '../toolkit/pages.ts';

const Domain = z.object({ name: z.string() });
export type DesecDomain = z.infer<typeof Domain>;

const RrSet = z.object({ subname: z.string(), type: z.string(), ttl: z.number(), records: z.array(z.string()) });
export type DesecSet = z.infer<typeof RrSet>;

/** The first page. Without a cursor, deSEC refuses a listing of more than 500 entries. */
const FIRST = { cursor: '' };

export function client(http: HttpAccount, token: string) {
  const api = jsonClient(http, { headers: () => ({ authorization: `Token ${token}` }), reasonOf });
  const setsPath = (domain: string) => `/domains/${encodeURIComponent(domain)}/rrsets/`;

  return {
    domains: (call?: Call): Promise<DesecDomain[]> =>
      readLinkedPages(api, { path: '/domains/', query: FIRST }, z.array(Domain), call),

    /** Returns the domain of this account that contains a host: the longest one, or none. */
    domainOf: async (host: string, call?: Call): Promise<DesecDomain | undefined> => {
      const query = { owns_qname: host };
      const [found] = await api.read(z.array(Domain), { method: 'GET', path: '/domains/', query }, call);
      return found;
    },

    /** Returns the sets at one name, or those of the whole zone. */
    sets: (domain: string, subname: string | undefined, call?: Call): Promise<DesecSet[]> =>
      readLinkedPages(
        api,
        { path: setsPath(domain), query: { ...FIRST, ...(subname !== undefined && { subname }) } },
        z.array(RrSet),
        call,
      ),

    /** Writes all these sets or none of them. A set without records is deleted. */
    patch: (domain: string, sets: readonly DesecSet[], call?: Call) =>
      api.send({ method: 'PATCH', path: setsPath(domain), json: sets, zone: domain }, call),
  };
}

/** Errors have one sentence, or a list of sentences for each field, in a list with an item for each set. */
function reasonOf(body: unknown): Reason {
  const text = sentencesIn(body).join(' ');
  if (text === '') return {};
  return { text, code: /conflicting type|same subdomain and type/i.test(text) ? 'conflict' : undefined };
}

const sentencesIn = (body: unknown): string[] => {
  if (typeof body === 'string') return [body];
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(sentencesIn) : [];
};
