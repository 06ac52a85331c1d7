import { z } from 'zod';
import type { Call, Clock } from '../call.ts';
import { ProviderError, type ProviderErrorCode } from '../provider-error.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAnswer, HttpRequest } from '../toolkit/http.ts';
import type { JsonClient, JsonRequest } from '../toolkit/json-client.ts';
import { readPages, requestOfLink } from '../toolkit/pages.ts';
import { pollUntil } from '../toolkit/poll.ts';
import { AzureRecordSet } from './record.ts';

const DnsZone = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.object({ nameServers: z.array(z.string()).nullish(), zoneType: z.string().default('Public') }),
});
export type DnsZone = z.infer<typeof DnsZone>;

const query = { 'api-version': '2018-05-01' };

/** Longest time that Azure may be busy with the previous change. */
const BUSY = { everyMs: 500, limitMs: 5_000 };

export function client(
  api: JsonClient,
  { subscription, resourceGroup, clock }: { subscription: string; resourceGroup: string | undefined; clock: Clock },
) {
  const group = resourceGroup === undefined ? '' : `/resourceGroups/${encodeURIComponent(resourceGroup)}`;
  const zonesPath = `/subscriptions/${encodeURIComponent(subscription)}${group}/providers/Microsoft.Network/dnsZones`;
  const pathOf = (zoneId: string, type: string, name: string) =>
    `${encodeURI(zoneId)}/${type}/${encodeURIComponent(name)}`;

  const list = <T>(schema: z.ZodType<T>, path: string, call?: Call): Promise<T[]> => {
    const Page = z.object({ value: z.array(schema), nextLink: z.string().nullish() });
    type PageLocation = Pick<HttpRequest, 'path' | 'query'>;
    return readPages<T, PageLocation>(api.http, { path, query }, async (location) => {
      const { value, nextLink } = await api.read(Page, { method: 'GET', ...location }, call);
      return { items: value, next: nextLink ? requestOfLink(api.http, nextLink) : undefined };
    });
  };

  /** Azure refuses a change while the previous one is in progress. Repeating it is safe because of the etag. */
  const write = async (request: JsonRequest, call?: Call): Promise<void> => {
    let refused: ProviderError | undefined;
    const done = await pollUntil(clock, { ...BUSY, signal: call?.signal }, async () => {
      try {
        await api.send(request, call);
        return true;
      } catch (error) {
        if (!(error instanceof ProviderError && isBusy(error.message))) throw error;
        refused = error;
        return undefined;
      }
    });
    if (!done && refused) throw refused;
  };

  return {
    zones: (call?: Call) => list(DnsZone, zonesPath, call),

    recordSets: (zoneId: string, call?: Call) => list(AzureRecordSet, `${encodeURI(zoneId)}/recordsets`, call),

    /** Writes the set if it still has this etag. Without an etag, writes the set if it does not exist. */
    put: (
      zoneId: string,
      set: { type: string; name: string; etag?: string | undefined; properties: object },
      call?: Call,
    ) =>
      write(
        {
          method: 'PUT',
          path: pathOf(zoneId, set.type, set.name),
          query,
          headers: set.etag === undefined ? { 'if-none-match': '*' } : { 'if-match': set.etag },
          json: { properties: set.properties },
        },
        call,
      ),

    remove: (zoneId: string, { type, name, etag }: { type: string; name: string; etag: string }, call?: Call) =>
      write({ method: 'DELETE', path: pathOf(zoneId, type, name), query, headers: { 'if-match': etag } }, call),
  };
}

const Body = z.object({ code: z.string(), message: z.string().optional() });
/** The DNS service returns this body; the gateway in front of it puts the same body inside `error`. */
const Refused = z.union([Body, z.object({ error: Body }).transform(({ error }) => error)]);

const CODES: Record<string, ProviderErrorCode> = {
  PreconditionFailed: 'record_not_found',
  ScopeLocked: 'forbidden_scope',
  TooManyRequests: 'rate_limited',
  SubscriptionRequestsThrottled: 'rate_limited',
};

const isBusy = (message: string): boolean => /operation is pending|queued/i.test(message);

/** A conflict means either an existing record or another change of the zone that is still in progress. */
export function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { code = '', message } = Refused.safeParse(body).data ?? {};
  const isPending = status === 409 && isBusy(message ?? '');
  return { text: message, code: isPending ? 'transient' : CODES[code] };
}
