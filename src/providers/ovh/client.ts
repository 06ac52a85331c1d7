import { z } from 'zod';
import type { Call, Clock } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import type { TokenCache } from '../toolkit/token-cache.ts';
import { type OvhKey, signOvh } from './signature.ts';

const OvhRecord = z.object({
  id: z.number(),
  fieldType: z.string(),
  /** Null or empty at the apex. */
  subDomain: z.string().nullish(),
  target: z.string(),
  ttl: z.number().nullish(),
});
export type OvhRecord = z.infer<typeof OvhRecord>;
export type OvhNewRecord = Omit<OvhRecord, 'id'>;

const CLOCK_MS = 3_600_000;

export function client(http: HttpAccount, key: OvhKey, { clock, tokens }: { clock: Clock; tokens: TokenCache }) {
  const open = jsonClient(http, { headers: () => ({}), reasonOf });

  /** Returns OVHcloud's time, which dates every request. The offset to our clock is fetched once an hour. */
  const serverSeconds = async ({ signal, timeoutMs }: Call = {}): Promise<number> => {
    const asked = tokens.get(`ovh clock ${http.url({ path: '' }).href}`, async () => {
      const patience = timeoutMs === undefined ? {} : { timeoutMs };
      const seconds = await open.read(z.number(), { method: 'GET', path: '/auth/time' }, patience);
      return { token: String(seconds - Math.floor(clock.now() / 1_000)), expiresAt: clock.now() + CLOCK_MS };
    });
    // Other callers may wait for the same answer, so an abort ends only this caller's wait.
    const ahead = await Promise.race([asked, abortOf(signal)]);
    return Math.floor(clock.now() / 1_000) + Number(ahead ?? 0);
  };

  const api = jsonClient(http, {
    headers: async (call, { method, body, ...request }) =>
      signOvh({ method, body, url: http.url(request).href }, key, await serverSeconds(call)),
    reasonOf,
  });
  const pathOf = (zone: string) => `/domain/zone/${encodeURIComponent(zone)}`;

  return {
    zones: (call?: Call) => api.read(z.array(z.string()), { method: 'GET', path: '/domain/zone' }, call),

    nameservers: async (zone: string, call?: Call): Promise<string[]> => {
      const Zone = z.object({ nameServers: z.array(z.string()) });
      return (await api.read(Zone, { method: 'GET', path: pathOf(zone) }, call)).nameServers;
    },

    /** Returns the ids of the records at a name, and perhaps others: the filter is loose, and may ignore the apex. */
    idsAt: (zone: string, subDomain: string, call?: Call) =>
      api.read(z.array(z.number()), { method: 'GET', path: `${pathOf(zone)}/record`, query: { subDomain } }, call),

    record: (zone: string, id: number, call?: Call) =>
      api.read(OvhRecord, { method: 'GET', path: `${pathOf(zone)}/record/${id}` }, call),

    create: (zone: string, record: OvhNewRecord, call?: Call) =>
      api.send({ method: 'POST', path: `${pathOf(zone)}/record`, json: record }, call),

    remove: (zone: string, id: string, call?: Call) =>
      api.send({ method: 'DELETE', path: `${pathOf(zone)}/record/${encodeURIComponent(id)}` }, call),

    /** Makes OVHcloud serve the changes. */
    refresh: async (zone: string, call?: Call): Promise<void> => {
      await api.send({ method: 'POST', path: `${pathOf(zone)}/refresh` }, call);
    },
  };
}

const abortOf = (signal: AbortSignal | undefined): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener('abort', () => resolve(undefined), { once: true });
  });

const Refused = z.object({ message: z.string().optional(), errorCode: z.string().optional() });

const CODES: Record<string, ProviderErrorCode> = {
  INVALID_SIGNATURE: 'auth_failed',
  INVALID_KEY: 'auth_failed',
  INVALID_CREDENTIAL: 'auth_failed',
  NOT_CREDENTIAL: 'auth_failed',
  NOT_GRANTED_CALL: 'forbidden_scope',
  QUERY_TIME_OUT: 'transient',
};
const EXPIRED_SERVICE = 460;

/** An invalid signature comes as 400, and an unknown key as 403 like a missing right. Only the error code differs. */
function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { message: text, errorCode = '' } = Refused.safeParse(body).data ?? {};
  if (status === EXPIRED_SERVICE) return { text, code: 'plan_required' };
  const isBadSignature = text !== undefined && /invalid signature/i.test(text);
  return { text, code: CODES[errorCode] ?? (isBadSignature ? 'auth_failed' : undefined) };
}
