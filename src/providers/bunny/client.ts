import { z } from 'zod';
import type { Call } from '../call.ts';
import type { Reason } from '../toolkit/answer.ts';
import type { HttpAccount } from '../toolkit/http.ts';
import { jsonClient } from '../toolkit/json-client.ts';
import { readPages } from '../toolkit/pages.ts';

const BunnyZone = z.object({
  Id: z.number(),
  Domain: z.string(),
  Nameserver1: z.string().nullish(),
  Nameserver2: z.string().nullish(),
});
export type BunnyZone = z.infer<typeof BunnyZone>;

/** Fields of a new record. Types and routings are numbers. */
export const BunnyNewRecord = z.object({
  Type: z.number(),
  Name: z.string().nullish(),
  Value: z.string().nullish(),
  Ttl: z.number(),
  Priority: z.number().optional(),
  Weight: z.number().optional(),
  Port: z.number().optional(),
  Flags: z.number().optional(),
  Tag: z.string().nullish(),
  Comment: z.string().nullish(),
  MonitorType: z.number().optional(),
  SmartRoutingType: z.number().optional(),
  GeolocationLatitude: z.number().optional(),
  GeolocationLongitude: z.number().optional(),
  LatencyZone: z.string().nullish(),
  AutoSslIssuance: z.boolean().optional(),
  Disabled: z.boolean().optional(),
  Accelerated: z.boolean().optional(),
});
export type BunnyNewRecord = z.infer<typeof BunnyNewRecord>;
/** `LinkName` is the name of a pull zone or a script. */
const BunnyRecord = BunnyNewRecord.extend({ Id: z.number(), LinkName: z.string().nullish() });
export type BunnyRecord = z.infer<typeof BunnyRecord>;

const Zones = z.object({ Items: z.array(BunnyZone), HasMoreItems: z.boolean() });
const Zone = z.object({ Records: z.array(BunnyRecord).nullish() });
/** A listed zone contains all its records, so a full page of a thousand zones would be too large. */
const PER_PAGE = 100;

/** At bunny.net, PUT creates a record and POST changes it, unlike at other providers. */
export function client(http: HttpAccount, accessKey: string) {
  const api = jsonClient(http, { headers: () => ({ accesskey: accessKey }), reasonOf });

  return {
    /** Returns the zones whose name contains this text, or all zones for an empty text. */
    zones: (search: string, call?: Call) =>
      readPages(http, 1, async (page) => {
        const query = { page, perPage: PER_PAGE, ...(search === '' ? {} : { search }) };
        const { Items, HasMoreItems } = await api.read(Zones, { method: 'GET', path: '/dnszone', query }, call);
        return { items: Items, next: HasMoreItems ? page + 1 : undefined };
      }),

    records: async (zone: string, call?: Call) =>
      (await api.read(Zone, { method: 'GET', path: `/dnszone/${encodeURIComponent(zone)}` }, call)).Records ?? [],

    create: (zone: string, record: BunnyNewRecord, call?: Call) =>
      api.send({ method: 'PUT', path: `/dnszone/${encodeURIComponent(zone)}/records`, json: record }, call),

    remove: (zone: string, id: string, call?: Call) => {
      const path = `/dnszone/${encodeURIComponent(zone)}/records/${encodeURIComponent(id)}`;
      return api.send({ method: 'DELETE', path }, call);
    },
  };
}

const Refused = z.object({
  ErrorKey: z.string().nullish(),
  Field: z.string().nullish(),
  Message: z.string().nullish(),
});

function reasonOf(body: unknown): Reason {
  const { ErrorKey, Field, Message } = Refused.safeParse(body).data ?? {};
  const text = [Field, Message?.trim()].filter((part) => part != null && part !== '').join(': ');
  if (ErrorKey === 'dnszone.record.not_found') return { text, code: 'record_not_found' };
  return { text, code: /conflict|already.?exist/i.test(`${ErrorKey ?? ''} ${text}`) ? 'conflict' : undefined };
}
