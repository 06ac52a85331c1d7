import { z } from 'zod';
import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';

const IonosZone = z.object({ id: z.string(), name: z.string(), type: z.string() });
export type IonosZone = z.infer<typeof IonosZone>;

const IonosRecord = z.object({
  id: z.string(),
  /** Absolute name without a trailing dot. */
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.number(),
  prio: z.number().nullish(),
  /** A disabled record exists and is not served. */
  disabled: z.boolean().nullish(),
});
export type IonosRecord = z.infer<typeof IonosRecord>;

export interface IonosNewRecord {
  name: string;
  type: string;
  content: string;
  ttl: number;
  prio: number;
  disabled: false;
}

export function client(http: HttpAccount, apiKey: string) {
  const api = jsonClient(http, { headers: () => ({ 'x-api-key': apiKey }), reasonOf });
  const zonePath = (zoneId: string) => `/zones/${encodeURIComponent(zoneId)}`;

  return {
    zones: (call?: Call) => api.read(z.array(IonosZone), { method: 'GET', path: '/zones' }, call),

    /** Returns the records of one name, or of the whole zone. */
    records: async (zoneId: string, recordName: string | undefined, call?: Call): Promise<IonosRecord[]> => {
      const Zone = z.object({ records: z.array(IonosRecord).nullish() });
      const query = recordName === undefined ? {} : { recordName };
      return (await api.read(Zone, { method: 'GET', path: zonePath(zoneId), query }, call)).records ?? [];
    },

    create: (zoneId: string, record: IonosNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: `${zonePath(zoneId)}/records`, json: [record] }, call),

    remove: (zoneId: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${zonePath(zoneId)}/records/${encodeURIComponent(id)}` }, call),
  };
}

const Refused = z.array(
  z.object({
    code: z.string(),
    message: z.string().optional(),
    parameters: z.looseObject({ invalidFields: z.array(z.string()).optional() }).nullish(),
  }),
);

const CODES: Record<string, ProviderErrorCode> = {
  UNAUTHORIZED: 'auth_failed',
  FORBIDDEN_REQUEST: 'forbidden_scope',
  ZONE_NOT_FOUND: 'zone_not_found',
  RECORD_NOT_FOUND: 'record_not_found',
  RECORD_ALREADY_EXISTS: 'already_exists',
  INTERNAL_SERVER_ERROR: 'transient',
};

function reasonOf(body: unknown): Reason {
  const [first] = Refused.safeParse(body).data ?? [];
  if (!first) return {};
  const { code, message = code, parameters } = first;
  const fields = parameters?.invalidFields ?? [];
  return { text: fields.length === 0 ? message : `${message} (${fields.join(', ')})`, code: CODES[code] };
}
