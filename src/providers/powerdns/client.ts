import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { dotted } from '../toolkit/names.ts';

const ZoneHead = z.object({ id: z.string(), name: z.string(), kind: z.string() });
export type ZoneHead = z.infer<typeof ZoneHead>;

// A disabled value is stored but not served. It is sent back unchanged whenever its set is written.
const PdnsValue = z.object({ content: z.string(), disabled: z.boolean() });
export type PdnsValue = z.infer<typeof PdnsValue>;

const PdnsComment = z.object({ content: z.string(), account: z.string(), modified_at: z.number() });

const RrSet = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  records: z.array(PdnsValue),
  comments: z.array(PdnsComment).default([]),
});
export type RrSet = z.infer<typeof RrSet>;

/** A REPLACE without comments keeps the existing comments; a DELETE deletes them. */
export type RrSetPatch =
  | (Omit<RrSet, 'comments' | 'records'> & { records: readonly PdnsValue[]; comments?: unknown; changetype: 'REPLACE' })
  | (Pick<RrSet, 'name' | 'type'> & { changetype: 'DELETE' });

export function client(http: HttpAccount, { apiKey, serverId }: { apiKey: string; serverId: string }) {
  const root = `/api/v1/servers/${encodeURIComponent(serverId)}/zones`;
  const api = jsonClient(http, { headers: () => ({ 'x-api-key': apiKey }), reasonOf });
  const pathOf = (zoneId: string) => `${root}/${encodeURIComponent(zoneId)}`;

  return {
    zones: (call?: Call) => api.read(z.array(ZoneHead), { method: 'GET', path: root }, call),

    zonesNamed: (name: string, call?: Call) =>
      api.read(z.array(ZoneHead), { method: 'GET', path: root, query: { zone: dotted(name) } }, call),

    rrsets: async (zoneId: string, call?: Call): Promise<RrSet[]> => {
      const Zone = z.object({ rrsets: z.array(RrSet) });
      return (await api.read(Zone, { method: 'GET', path: pathOf(zoneId) }, call)).rrsets;
    },

    patch: (zoneId: string, rrsets: readonly RrSetPatch[], call?: Call) =>
      api.send({ method: 'PATCH', path: pathOf(zoneId), json: { rrsets } }, call),
  };
}

const Refused = z.object({ error: z.string() });

/** 422 has an explanation in JSON. 401, 404 and 409 are plain text that adds nothing to the status. */
function reasonOf(body: unknown): Reason {
  const text = Refused.safeParse(body).data?.error;
  return { text, code: text !== undefined && /conflicts with/i.test(text) ? 'conflict' : undefined };
}
