import { z } from 'zod';
import type { Call, Clock } from '../call.ts';
import { writeUnlessOvertaken, type ProviderErrorCode } from '../provider-error.ts';
import { afterWriting } from '../toolkit/apply-change.ts';
import type { HttpAnswer } from '../toolkit/http.ts';
import { readJson, type Reason } from '../toolkit/answer.ts';
import type { JsonClient } from '../toolkit/json-client.ts';
import { dotted } from '../toolkit/names.ts';
import { readPages } from '../toolkit/pages.ts';
import { pollUntil } from '../toolkit/poll.ts';

const ManagedZone = z.object({
  name: z.string(),
  dnsName: z.string(),
  visibility: z.string().default('public'),
  nameServers: z.array(z.string()).default([]),
});
export type ManagedZone = z.infer<typeof ManagedZone>;

const GoogleSet = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.number().default(0),
  rrdatas: z.array(z.string()).default([]),
  /** A policy by weight, by location or with a fallback. Google selects one of several answers for each query. */
  routingPolicy: z.unknown().optional(),
});
export type GoogleSet = z.infer<typeof GoogleSet>;
export type ChangedSet = Pick<GoogleSet, 'name' | 'type' | 'ttl'> & { rrdatas: readonly string[] };

const Paged = z.object({ nextPageToken: z.string().optional() });
const Zones = Paged.extend({ managedZones: z.array(ManagedZone).default([]) });
const Sets = Paged.extend({ rrsets: z.array(GoogleSet).default([]) });
const Change = z.object({ id: z.string(), status: z.string() });

/** A change is pending for some seconds, until all name servers of Google have it. */
const POLL = { everyMs: 500, limitMs: 20_000 };

export function client(api: JsonClient, project: string, clock: Clock) {
  const zonesPath = `/projects/${encodeURIComponent(project)}/managedZones`;
  const pathOf = (zone: string) => `${zonesPath}/${encodeURIComponent(zone)}`;

  const list = <Listing extends z.infer<typeof Paged>, Item>(
    schema: z.ZodType<Listing>,
    itemsOf: (listing: Listing) => readonly Item[],
    { path, query }: { path: string; query: Record<string, string> },
    call?: Call,
  ): Promise<Item[]> =>
    readPages<Item, Record<string, string>>(api.http, {}, async (marker) => {
      const page = await api.read(schema, { method: 'GET', path, query: { ...query, ...marker } }, call);
      return { items: itemsOf(page), next: page.nextPageToken ? { pageToken: page.nextPageToken } : undefined };
    });

  const untilDone = async (path: string, { id, status }: z.infer<typeof Change>, call?: Call): Promise<void> => {
    if (status === 'done') return;
    await pollUntil(clock, { ...POLL, signal: call?.signal }, async () => {
      const now = await api.read(Change, { method: 'GET', path: `${path}/${encodeURIComponent(id)}` }, call);
      return now.status === 'done' ? true : undefined;
    });
  };

  return {
    zones: (call?: Call) => list(Zones, ({ managedZones }) => managedZones, { path: zonesPath, query: {} }, call),

    zonesNamed: (name: string, call?: Call) =>
      list(Zones, ({ managedZones }) => managedZones, { path: zonesPath, query: { dnsName: dotted(name) } }, call),

    zone: (zone: string, call?: Call) => api.read(ManagedZone, { method: 'GET', path: pathOf(zone) }, call),

    setsAt: (zone: string, host: string, call?: Call) =>
      list(Sets, ({ rrsets }) => rrsets, { path: `${pathOf(zone)}/rrsets`, query: { name: dotted(host) } }, call),

    /** Makes a whole change or none. A deletion must match exactly; returns false if the zone has changed. */
    change: (
      zone: string,
      change: { deletions: readonly ChangedSet[]; additions: readonly ChangedSet[] },
      call?: Call,
    ) =>
      writeUnlessOvertaken(['already_exists', 'record_not_found'], async () => {
        const path = `${pathOf(zone)}/changes`;
        const answer = await api.send({ method: 'POST', path, json: change }, call);
        await afterWriting(() => untilDone(path, readJson(api.http, answer, Change), call));
      }),
  };
}

const Refused = z.object({
  error: z.object({ message: z.string().optional(), errors: z.array(z.object({ reason: z.string() })).default([]) }),
});

const CODES: Record<string, ProviderErrorCode> = {
  alreadyExists: 'already_exists',
  conditionNotMet: 'record_not_found',
  cnameResourceRecordSetConflict: 'conflict',
  rateLimitExceeded: 'rate_limited',
  userRateLimitExceeded: 'rate_limited',
  quotaExceeded: 'rate_limited',
};

/** Rate limits come as 403, and a missing set as 404 like a missing zone. Only reason and message differ. */
export function reasonOf(body: unknown, { status }: HttpAnswer): Reason {
  const { message, errors = [] } = Refused.safeParse(body).data?.error ?? {};
  const isSetMissing = status === 404 && /entity\.change|entity\.rrset/.test(message ?? '');
  return { text: message, code: isSetMissing ? 'record_not_found' : CODES[errors[0]?.reason ?? ''] };
}
