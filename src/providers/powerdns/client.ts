import { z } from 'zod';
import { isSuccess, jsonOf, readJson, refusal } from '../toolkit/answer.ts';
import type { Call } from '../toolkit/call.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from '../toolkit/http.ts';
import { dotted } from '../toolkit/names.ts';

const ZoneHead = z.object({ id: z.string(), name: z.string(), kind: z.string() });

const RrSet = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  // A disabled value is kept but not served. It travels back unread whenever its set is written.
  records: z.array(z.object({ content: z.string(), disabled: z.boolean() })),
});
export type RrSet = z.infer<typeof RrSet>;

export type RrSetPatch =
  (RrSet & { changetype: 'REPLACE' }) | (Pick<RrSet, 'name' | 'type'> & { changetype: 'DELETE' });

export interface ZoneHead {
  id: string;
  name: string;
  kind: string;
}

/** The five calls of the Authoritative Server's HTTP API that we make. */
export function client(http: HttpAccount, { apiKey, serverId }: { apiKey: string; serverId: string }) {
  const root = `/api/v1/servers/${encodeURIComponent(serverId)}/zones`;

  const send = async (request: HttpRequest, call: Call | undefined): Promise<HttpAnswer> => {
    const headers = { 'x-api-key': apiKey, accept: 'application/json', 'content-type': 'application/json' };
    const answer = await http.send({ ...request, headers }, call);
    if (isSuccess(answer)) return answer;
    throw refusalOf(http, request, answer);
  };

  return {
    zones: async (call?: Call): Promise<ZoneHead[]> =>
      readJson(http, await send({ method: 'GET', path: root }, call), z.array(ZoneHead)),

    zonesNamed: async (name: string, call?: Call): Promise<ZoneHead[]> => {
      const request: HttpRequest = { method: 'GET', path: root, query: { zone: dotted(name) } };
      return readJson(http, await send(request, call), z.array(ZoneHead));
    },

    rrsets: async (zoneId: string, call?: Call): Promise<RrSet[]> => {
      const answer = await send({ method: 'GET', path: `${root}/${encodeURIComponent(zoneId)}` }, call);
      return readJson(http, answer, z.object({ rrsets: z.array(RrSet) })).rrsets;
    },

    patch: async (zoneId: string, rrsets: readonly RrSetPatch[], call?: Call): Promise<void> => {
      const path = `${root}/${encodeURIComponent(zoneId)}`;
      await send({ method: 'PATCH', path, body: JSON.stringify({ rrsets }) }, call);
    },
  };
}

const Refused = z.object({ error: z.string() });

/** 422 explains itself in JSON; 401, 404 and 409 are plain text that says no more than the status. */
function refusalOf(http: HttpAccount, request: HttpRequest, answer: HttpAnswer) {
  const parsed = Refused.safeParse(jsonOf(answer.text));
  const text = parsed.success ? parsed.data.error : undefined;
  const code = text !== undefined && /conflicts with/i.test(text) ? 'conflict' : undefined;
  return refusal(http, request, answer, { code, text });
}
