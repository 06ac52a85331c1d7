import { z } from 'zod';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * bunny.net's DNS API. Types are numbers. PUT creates a record and POST changes it. A zone lists all its records
 * without its own name servers. Targets lose their trailing dot. The search matches a part of the name. The same value
 * can be created twice.
 */
const KEY = '01234567-89ab-cdef-0123-456789abcdef01234567-89ab-cdef-0123-456789abcdef';
const TYPES = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'Redirect', 'Flatten', 'PullZone', 'SRV', 'CAA', 'PTR', 'Script', 'NS', 'SVCB', 'HTTPS', 'TLSA']; // prettier-ignore
const SERVERS = ['kiki.bunny.net', 'coco.bunny.net'];

const Given = z.object({
  Type: z.union([z.number().int(), z.string().transform((name) => TYPES.indexOf(name))]),
  Name: z.string().nullish(),
  Value: z.string().nullish(),
  Ttl: z.number().int().min(0).default(300),
  Weight: z.number().default(100),
  Priority: z.number().default(0),
  Port: z.number().default(0),
  Flags: z.number().min(0).max(255).default(0),
  Tag: z.string().nullable().default(null),
  Accelerated: z.boolean().default(false),
  MonitorType: z.number().default(0),
  SmartRoutingType: z.number().default(0),
  GeolocationLatitude: z.number().default(0),
  GeolocationLongitude: z.number().default(0),
  LatencyZone: z.string().nullable().default(null),
  Disabled: z.boolean().default(false),
  Comment: z.string().nullable().default(null),
  AutoSslIssuance: z.boolean().default(true),
});
type Stored = Omit<z.output<typeof Given>, 'Name' | 'Value'> & { Id: number; Name: string; Value: string };

interface StoredZone {
  Id: number;
  Domain: string;
  Records: Stored[];
}

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, StoredZone>();
  let ids = 82_000;
  const refuse = (status: number, ErrorKey: string, Field: string, Message: string) =>
    new Refused(json(status, { ErrorKey, Field, Message: `${Message}\r` }));
  const zoneOf = ({ params }: Routed): StoredZone => {
    for (const zone of zones.values()) if (String(zone.Id) === params['id']) return zone;
    throw refuse(404, 'dnszone.zone.not_found', 'Id', 'The requested DNS zone was not found');
  };
  const recordOf = (routed: Routed) => {
    const zone = zoneOf(routed);
    const record = zone.Records.find(({ Id }) => String(Id) === routed.params['rid']);
    if (!record)
      throw refuse(404, 'dnszone.record.not_found', 'RecordId', 'The requested DNS zone record was not found');
    return { zone, record };
  };
  const checked = (body: unknown, Id: number, zone: StoredZone, others: readonly Stored[]): Stored => {
    const given = Given.safeParse(body);
    if (!given.success) {
      const [issue] = given.error.issues;
      throw refuse(400, 'validation_error', issue?.path.join('.') ?? '', issue?.message ?? 'Invalid');
    }
    const host = absolute(given.data.Name ?? '', zone.Domain);
    const Name = host === zone.Domain ? '' : host.slice(0, -(zone.Domain.length + 1));
    const type = TYPES[given.data.Type];
    const isTarget = type !== undefined && ['CNAME', 'MX', 'NS', 'SRV'].includes(type);
    const Value = (given.data.Value ?? '').replace(isTarget ? /\.$/ : /$^/, '');
    const record = { ...given.data, Id, Name, Value };
    if (type === undefined) throw refuse(400, 'validation_error', 'Type', 'The record type is invalid');
    if (record.Value === '' && type !== 'PullZone') throw refuse(400, 'validation_error', 'Value', 'Value is required');
    if (isBadAddress(type, record.Value))
      throw refuse(400, 'dnszone.record.invalid_value', 'Value', 'The IP address is invalid');
    const here = others.filter((other) => other.Name === Name).map((other) => TYPES[other.Type] ?? '');
    if (Name !== '' && breaksCname(type, here))
      throw refuse(400, 'dnszone.record.conflict', 'Name', 'A CNAME record conflicts with another record');
    return record;
  };
  const shown = ({ Id, Domain, Records }: StoredZone) => ({
    Id,
    Domain,
    Records: Records.map(shownRecord),
    DateModified: '2026-01-01T00:00:00Z',
    DateCreated: '2026-01-01T00:00:00Z',
    NameserversDetected: true,
    CustomNameserversEnabled: false,
    Nameserver1: SERVERS[0],
    Nameserver2: SERVERS[1],
    SoaEmail: 'hostmaster@bunny.net',
    NameserversNextCheck: '2026-01-01T00:00:00Z',
    LoggingEnabled: false,
    LoggingIPAnonymizationEnabled: true,
    LogAnonymizationType: 0,
    DnsSecEnabled: false,
    CertificateKeyType: 0,
  });
  const addZone = (Domain: string, records: readonly SeedRecord[] = []): StoredZone => {
    const Records = records.map((seed) => {
      const { Name, Value, ...rest } = Given.parse(fromSeed(seed));
      return { ...rest, Name: Name ?? '', Value: Value ?? '', Id: ids++ };
    });
    const zone = { Id: ids++, Domain, Records };
    zones.set(Domain, zone);
    return zone;
  };

  const answer = router(
    {
      'GET /dnszone': ({ query }) => {
        const page = Number(query.get('page') ?? 1);
        const size = Number(query.get('perPage') ?? 1_000);
        if (!(size >= 5 && size <= 1_000))
          throw refuse(400, 'validation_error', 'perPage', 'Must be between 5 and 1000');
        const found = [...zones.values()].filter(({ Domain }) => Domain.includes(query.get('search') ?? ''));
        const cut = pageOf(found, page, size);
        return json(200, {
          Items: cut.items.map(shown),
          CurrentPage: page,
          TotalItems: found.length,
          HasMoreItems: page < cut.pages,
        });
      },
      'POST /dnszone': ({ json: body }) => {
        const given = z.object({ Domain: z.string().min(1) }).safeParse(body);
        if (!given.success) throw refuse(400, 'validation_error', 'Domain', 'Domain is required');
        if (zones.has(given.data.Domain))
          throw refuse(400, 'dnszone.domain_taken', 'Domain', 'This domain already exists');
        return json(201, shown(addZone(given.data.Domain)));
      },
      'POST /dnszone/checkavailability': ({ json: body }) => {
        const { Name } = z.object({ Name: z.string() }).parse(body);
        return json(200, { Available: !zones.has(Name) });
      },
      'GET /dnszone/:id': (routed) => json(200, shown(zoneOf(routed))),
      'POST /dnszone/:id': (routed) => json(200, shown(zoneOf(routed))),
      'DELETE /dnszone/:id': (routed) => {
        zones.delete(zoneOf(routed).Domain);
        return empty(204);
      },
      'PUT /dnszone/:id/records': (routed) => {
        const zone = zoneOf(routed);
        const record = checked(routed.json, ids++, zone, zone.Records);
        zone.Records.push(record);
        return json(201, shownRecord(record));
      },
      'POST /dnszone/:id/records/:rid': (routed) => {
        const { zone, record } = recordOf(routed);
        const others = zone.Records.filter((other) => other !== record);
        const next = checked({ ...record, ...(routed.json as object) }, record.Id, zone, others);
        zone.Records.splice(zone.Records.indexOf(record), 1, next);
        return empty(204);
      },
      'DELETE /dnszone/:id/records/:rid': (routed) => {
        const { zone, record } = recordOf(routed);
        zone.Records.splice(zone.Records.indexOf(record), 1);
        return empty(204);
      },
    },
    {
      before: (request) => {
        if (request.header('accesskey') !== KEY)
          throw new Refused(json(401, { Message: 'Authorization has been denied for this request.' }));
      },
      notFound: () => json(404, { Message: 'No HTTP resource was found that matches the request URI.' }),
    },
  );

  return {
    ...(await serveDouble(answer, port)),
    credential: { access_key: KEY },
    stranger: { access_key: 'fedcba98-7654-3210-fedc-ba9876543210fedcba98-7654-3210-fedc-ba9876543210' },
    addZone: (name, records) => void addZone(name, records),
    served: (zone) => [
      ...SERVERS.map((server) => ({ name: zone, type: 'NS', ttl: 172_800, rdata: `${server}.` })),
      ...(zones.get(zone)?.Records ?? []).filter(({ Disabled }) => !Disabled).map((record) => asServed(record, zone)),
    ],
    dump: (zone) => dumpOf((zones.get(zone)?.Records ?? []).map(({ Id: _, ...record }) => record)),
  };
};

const shownRecord = (record: Stored) => ({
  ...record,
  LinkName: '',
  IPGeoLocationInfo: null,
  GeolocationInfo: null,
  MonitorStatus: 0,
  AcceleratedPullZoneId: 0,
  EnviromentalVariables: [],
});

function fromSeed({ name, type, ttl, rdata }: SeedRecord): z.input<typeof Given> {
  const record = { Type: TYPES.indexOf(type), Name: name, Ttl: ttl };
  if (type === 'TXT') return { ...record, Value: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...record, Value: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, Value: rest, Priority: priority };
}

function asServed(record: Stored, zone: string): ServedRecord {
  const { Name, Ttl, Value, Priority, Weight, Port, Flags, Tag } = record;
  const type = TYPES[record.Type] ?? '';
  const target = `${Value.replace(/\.$/, '')}.`;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(Value),
    MX: `${Priority} ${target}`,
    SRV: `${Priority} ${Weight} ${Port} ${target}`,
    CAA: `${Flags} ${Tag ?? ''} "${Value}"`,
    CNAME: target,
    NS: target,
  };
  return { name: absolute(Name, zone), type, ttl: Ttl, rdata: rdata[type] ?? Value };
}
