import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type StartDouble } from './double.ts';
import { empty, json, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * deSEC's API v1. Record sets are written alone or in bulk, and a bulk takes effect completely or not at all. Records
 * are stored in canonical form. A listing of more than 500 entries needs a cursor, and its pages are linked in a header.
 */
const TOKEN = 'i-T3b1h_OI-H9ab8tRS98stGtURe';
const SERVERS = ['ns1.desec.io.', 'ns2.desec.org.'];
const TIME = '2019-09-18T16:32:16.510368Z';
const MINIMUM_TTL = 3_600;
const PAGE = 500;
const LIMIT: RequestLimit = {
  count: 50,
  seconds: 60,
  counts: ({ method }) => method === 'GET',
  refuse: ({ retryAfter }) =>
    json(
      429,
      { detail: `Request was throttled. Expected available in ${retryAfter} seconds.` },
      { 'retry-after': retryAfter },
    ),
};

interface Stored {
  subname: string;
  type: string;
  ttl: number;
  records: string[];
}

const Sent = z.object({
  subname: z.string().default(''),
  type: z.string(),
  ttl: z.number().int().optional(),
  records: z.array(z.string()).optional(),
});
type Sent = z.infer<typeof Sent>;

/** The faults of one set in a request; none if it is empty. */
type Faults = Record<string, string[]>;

export const start: StartDouble = async ({ port, counts } = {}) => {
  const zones = new Map<string, Stored[]>();
  const refuse = (status: number, body: unknown) => new Refused(json(status, body));
  const missing = () => refuse(404, { detail: 'Not found.' });
  const zoneOf = ({ params }: Routed): { name: string; sets: Stored[] } => {
    const name = params['zone'] ?? '';
    const sets = zones.get(name);
    if (!sets) throw missing();
    return { name, sets };
  };
  const domainJson = (name: string) => ({
    created: TIME,
    published: TIME,
    name,
    minimum_ttl: MINIMUM_TTL,
    touched: TIME,
  });
  const setJson = ({ subname, type, ttl, records }: Stored, domain: string) => ({
    created: TIME,
    domain,
    subname,
    name: `${fromRelative(subname, domain)}.`,
    type,
    records,
    ttl,
    touched: TIME,
  });
  const listing = (items: readonly unknown[], { query, request }: Routed) => {
    const linkTo = (cursor: string, rel: string) => {
      const url = new URL(request.url);
      url.searchParams.set('cursor', cursor);
      return `<${url.href}>; rel="${rel}"`;
    };
    const cursor = query.get('cursor');
    if (cursor === null && items.length <= PAGE) return json(200, items);
    const first = linkTo('', 'first');
    if (cursor === null)
      throw new Refused(
        json(400, { detail: 'Pagination required. You can query up to 500 items at a time.' }, { link: first }),
      );
    const from = Number(cursor);
    const links = [first, ...(items.length > from + PAGE ? [linkTo(String(from + PAGE), 'next')] : [])];
    return json(200, items.slice(from, from + PAGE), { link: links.join(', ') });
  };

  /** Makes all changes of a bulk or none. Returns the written sets. */
  const write = (
    { name, sets }: { name: string; sets: Stored[] },
    bulk: readonly Sent[],
    isPatch: boolean,
  ): Stored[] => {
    const isAt = (sent: Sent) => (set: Stored) => set.subname === sent.subname && set.type === sent.type;
    const pairs = bulk.map((sent) => ({ sent, before: sets.find(isAt(sent)) }));
    const after = [
      ...sets.filter((set) => !bulk.some((sent) => isAt(sent)(set))),
      ...pairs.flatMap(({ sent, before }) => {
        const records = sent.records ?? before?.records ?? [];
        const ttl = sent.ttl ?? before?.ttl ?? MINIMUM_TTL;
        return records.length === 0
          ? []
          : [{ subname: sent.subname, type: sent.type, ttl, records: records.map((one) => canonical(sent.type, one)) }];
      }),
    ];
    const faults = pairs.map(({ sent, before }) => faultsOf(sent, before, after, isPatch));
    if (faults.some((one) => Object.keys(one).length > 0)) throw refuse(400, faults);
    zones.set(name, after);
    return after.filter((set) => bulk.some((sent) => isAt(sent)(set)));
  };
  const sentIn = (body: unknown): Sent[] => {
    const given = z.array(Sent).safeParse(body);
    if (given.success) return given.data;
    throw refuse(400, { non_field_errors: [`Expected a list of items but got type "${typeof body}".`] });
  };
  const one = (routed: Routed): { zone: ReturnType<typeof zoneOf>; subname: string; set: Stored | undefined } => {
    const zone = zoneOf(routed);
    const subname = (routed.params['subname'] ?? '').replace(/^@$|\.\.\.$/, '');
    return {
      zone,
      subname,
      set: zone.sets.find((set) => set.subname === subname && set.type === routed.params['type']),
    };
  };

  const SETS = '/api/v1/domains/:zone/rrsets/';
  const answer = router(
    {
      'GET /api/v1/domains/': (routed) => {
        const host = routed.query.get('owns_qname');
        const names = [...zones.keys()];
        const owners = names.filter((name) => host === name || host?.endsWith(`.${name}`)).sort((a, b) => b.length - a.length); // prettier-ignore
        return listing((host === null ? names : owners.slice(0, 1)).map(domainJson), routed);
      },
      'GET /api/v1/domains/:zone/': (routed) => json(200, domainJson(zoneOf(routed).name)),
      [`GET ${SETS}`]: (routed) => {
        const { name, sets } = zoneOf(routed);
        const [subname, type] = [routed.query.get('subname'), routed.query.get('type')];
        const found = sets.filter((set) => (subname ?? set.subname) === set.subname && (type ?? set.type) === set.type);
        return listing(found.toReversed().map((set) => setJson(set, name)), routed); // prettier-ignore
      },
      [`POST ${SETS}`]: (routed) => {
        const zone = zoneOf(routed);
        const isList = Array.isArray(routed.json);
        const bulk = sentIn(isList ? routed.json : [routed.json]);
        const twice = bulk.map(({ subname, type }): Faults =>
          zone.sets.some((set) => set.subname === subname && set.type === type)
            ? { non_field_errors: ['Another RRset with the same subdomain and type exists for this domain. (Try modifying it.)'] } // prettier-ignore
            : {},
        );
        if (twice.some((fault) => Object.keys(fault).length > 0)) throw refuse(400, isList ? twice : twice[0]);
        const made = write(zone, bulk, false).map((set) => setJson(set, zone.name));
        return json(201, isList ? made : made[0]);
      },
      [`PATCH ${SETS}`]: (routed) => {
        const zone = zoneOf(routed);
        return json(200, write(zone, sentIn(routed.json), true).map((set) => setJson(set, zone.name))); // prettier-ignore
      },
      [`PUT ${SETS}`]: (routed) => {
        const zone = zoneOf(routed);
        return json(200, write(zone, sentIn(routed.json), false).map((set) => setJson(set, zone.name))); // prettier-ignore
      },
      [`GET ${SETS}:subname/:type/`]: (routed) => {
        const { zone, set } = one(routed);
        if (!set) throw missing();
        return json(200, setJson(set, zone.name));
      },
      [`PATCH ${SETS}:subname/:type/`]: (routed) => {
        const { zone, set, subname } = one(routed);
        if (!set) throw missing();
        const [sent] = sentIn([{ ...(routed.json as object), subname, type: set.type }]);
        const [next] = write(zone, sent ? [sent] : [], true);
        return next ? json(200, setJson(next, zone.name)) : empty(204);
      },
      [`DELETE ${SETS}:subname/:type/`]: (routed) => {
        const { zone, subname } = one(routed);
        write(zone, [{ subname, type: routed.params['type'] ?? '', records: [] }], true);
        return empty(204);
      },
    },
    {
      before: ({ header }) => {
        const sent = header('authorization');
        if (sent === undefined) throw refuse(401, { detail: 'Authentication credentials were not provided.' });
        if (sent !== `Token ${TOKEN}`) throw refuse(401, { detail: 'Invalid token.' });
      },
      notFound: () => json(404, { detail: 'Not found.' }),
    },
  );

  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  return {
    ...server,
    url: `${server.url}/api/v1`,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
    addZone: (name, records = []) => {
      const own = { subname: '', type: 'NS', ttl: MINIMUM_TTL, records: [...SERVERS] };
      const seeds = Map.groupBy(records, (seed) => `${seed.name} ${seed.type}`);
      const sets = [...seeds].map(([key, [first, ...rest]]) => {
        const [subname = '', type = ''] = key.split(' ');
        return { subname, type, ttl: first?.ttl ?? 0, records: [...(first ? [first] : []), ...rest].map(({ rdata }) => rdata) }; // prettier-ignore
      });
      zones.set(name, [own, ...sets]);
    },
    served: (zone) =>
      (zones.get(zone) ?? []).flatMap(({ subname, type, ttl, records }) =>
        records.map((rdata) => ({ name: fromRelative(subname, zone), type, ttl, rdata })),
      ),
    dump: (zone) =>
      dumpOf((zones.get(zone) ?? []).flatMap(({ records, ...set }) => records.map((record) => ({ ...set, record })))),
  };
};

const MANAGED = /^(SOA|RRSIG|NSEC3PARAM|DNSSEC|OPT|TSIG)$/;
const TYPES =
  /^(A|AAAA|AFSDB|APL|CAA|CDNSKEY|CDS|CERT|CNAME|DHCID|DNAME|DNSKEY|DS|HINFO|HTTPS|KX|LOC|MX|NAPTR|NS|OPENPGPKEY|PTR|RP|SMIMEA|SPF|SRV|SSHFP|SVCB|TLSA|TXT|URI)$/;

function faultsOf(
  { subname, type, ttl, records }: Sent,
  before: Stored | undefined,
  after: readonly Stored[],
  isPatch: boolean,
): Faults {
  // prettier-ignore
  if (MANAGED.test(type)) return { type: [`You cannot tinker with the ${type} RR set. It is managed automatically.`] };
  if (!TYPES.test(type)) return { type: [`The ${type} RR set type is currently unsupported.`] };
  if (!/^(\*\.)?[a-z0-9_.-]*$|^\*$/.test(subname)) return { subname: ['Subname can only use (lowercase) a-z, 0-9, ., -, and _, may start with a "*.", or just be "*".'] }; // prettier-ignore
  if (records === undefined && !(isPatch && before)) return { records: ['This field is required.'] };
  if (records?.length === 0) return {};
  if (ttl === undefined && !(isPatch && before)) return { ttl: ['This field is required.'] };
  if (ttl !== undefined && ttl < Math.min(MINIMUM_TTL, before?.ttl ?? MINIMUM_TTL))
    return { ttl: [`Ensure this value is greater than or equal to ${MINIMUM_TTL}.`] };
  if (ttl !== undefined && ttl > 86_400) return { ttl: ['Ensure this value is less than or equal to 86400.'] };
  const wrong = records?.find((record) => isWrong(type, record));
  if (wrong !== undefined) return { records: [`Record content of type ${type} invalid or malformed: ${wrong}`] };
  const here = after.filter((set) => set.subname === subname && set.type !== type).map((set) => set.type);
  if (breaksCname(type, here))
    return { non_field_errors: [`RRset with conflicting type present at same subname: database (${here.join(', ')}). (No other RRsets are allowed alongside CNAME.)`] }; // prettier-ignore
  if (type === 'CNAME' && subname === '') return { non_field_errors: ['CNAME RRset cannot have empty subname.'] };
  return {};
}

function isWrong(type: string, record: string): boolean {
  if (type === 'TXT') return !/^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s.test(record);
  if (type === 'CAA') return !/^\d+ [a-z0-9]+ "[^"]*"$/.test(record);
  return isBadAddress(type, record) || (/^(CNAME|MX|NS|PTR|SRV|DNAME)$/.test(type) && !record.endsWith('.'));
}

/** deSEC splits text into strings of 255 bytes and writes targets in small letters. */
function canonical(type: string, record: string): string {
  if (type === 'TXT' && /^"(?:[^"\\]|\\.){256,}"$/s.test(record)) return quoteTxt(unquoteTxt(record));
  return /^(CNAME|MX|NS|PTR|SRV|DNAME)$/.test(type) ? record.toLowerCase() : record;
}
