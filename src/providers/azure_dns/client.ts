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

/** How long Azure may be busy with the change before this one. */
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
    type Place = Pick<HttpRequest, 'path' | 'query'>;
    return readPages<T, Place>(api.http, { path, query }, async (place) => {
      const { value, nextLink } = await api.read(Page, { method: 'GET', ...place }, call);
      return { items: value, next: nextLink ? requestOfLink(api.http, nextLink) : undefined };
    });
  };

  /**
   * Azure refuses a change while the one before it is under way. A change of two sets that gave up there would take the
   * first one back, and begin again with the same outcome. The etag makes it safe to send the same once more.
   */
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

    /** Happens only if the set is still the one that has this etag or, without one, if there is none. */
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
/** The DNS service answers flat, the gateway in front of it with the same inside `error`. */
const Refused = z.union([Body, z.object({ error: Body }).transform(({ error }) => error)]);

const CODES: Record<string, ProviderErrorCode> = {
  PreconditionFailed: 'record_not_found',
  ScopeLocked: 'forbidden_scope',
  TooManyRequests: 'rate_limited',
  SubscriptionRequestsThrottled: 'rate_limited',
};

const isBusy = (message: string): boolean => /operation is pending|queued/i.test(message);

/** A conflict may be one with a record that stands, or with another change of the zone that is not finished yet. */
export function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { code = '', message } = Refused.safeParse(body).data ?? {};
  const isPending = status === 409 && isBusy(message ?? '');
  return { text: message, code: isPending ? 'transient' : CODES[code] };
}
