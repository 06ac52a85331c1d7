import { z } from 'zod';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { dumpOf, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * name.com's Core API, and version 4 on the same server, which has the same shapes, but deletes a record with 200
 * instead of 204, allows partial updates and demands no content type. An identical record is refused, a priority of
 * zero is left out, and targets lose their trailing dot.
 */
const USER = { username: 'connects', token: '0123456789abcdef0123456789abcdef01234567' };
const SERVERS = ['ns1cny', 'ns2fln', 'ns3gmv', 'ns4hmp'];
const PER_PAGE = 1_000;

interface Stored {
  id: number;
  host: string;
  type: string;
  answer: string;
  ttl: number;
  priority: number;
}

const Given = z.object({
  host: z.string().nullish(),
  type: z.string(),
  answer: z.string(),
  ttl: z.number().default(300),
  priority: z.number().nullish(),
});

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, Stored[]>();
  let ids = 178_000_000;
  const refuse = (status: number, message: string, details?: string) =>
    new Refused(json(status, { message, ...(details === undefined ? {} : { details }) }));
  const invalid = (details: string) => refuse(400, 'Invalid Argument', `Parameter Value Error - ${details}`);
  const zoneOf = ({ params }: Routed): { name: string; records: Stored[] } => {
    const name = (params['domain'] ?? '').toLowerCase();
    const records = zones.get(name);
    if (!records) throw refuse(404, 'Not Found', 'The requested domain does not exist.');
    return { name, records };
  };
  const recordOf = (routed: Routed) => {
    const zone = zoneOf(routed);
    const record = zone.records.find(({ id }) => String(id) === routed.params['id']);
    if (!record) throw refuse(404, 'Not Found');
    return { zone, record };
  };
  const shown = ({ priority, ...record }: Stored, zone: string) => ({
    ...record,
    domainName: zone,
    fqdn: `${absolute(record.host, zone)}.`,
    ...(priority === 0 ? {} : { priority }),
  });
  const listing = (key: string, items: readonly unknown[], query: URLSearchParams) => {
    const page = Number(query.get('page') ?? 1) || 1;
    const size = Number(query.get('perPage') ?? PER_PAGE) || PER_PAGE;
    const cut = pageOf(items, page, size);
    const from = (page - 1) * size;
    const more = page < cut.pages ? { nextPage: page + 1, lastPage: cut.pages } : {};
    return json(200, {
      [key]: cut.items,
      ...more,
      totalCount: items.length,
      from: from + 1,
      to: from + cut.items.length,
    });
  };
  const domain = (domainName: string) => ({
    domainName,
    nameservers: SERVERS.map((server) => `${server}.name.com`),
    locked: true,
    autorenewEnabled: true,
    privacyEnabled: false,
    contacts: {},
    renewalPrice: 12.99,
    expireDate: '2027-01-01T00:00:00Z',
    createDate: '2026-01-01T00:00:00Z',
  });
  const stored = (body: unknown, zone: string, id: number): Stored => {
    const given = Given.safeParse(body);
    if (!given.success) throw invalid('Invalid Record');
    const host = absolute(given.data.host ?? '', zone);
    const isTarget = /^(ANAME|CNAME|MX|NS|SRV)$/.test(given.data.type);
    return {
      ...given.data,
      answer: isTarget ? given.data.answer.replace(/\.$/, '') : given.data.answer,
      id,
      host: host === zone ? '' : host.slice(0, -(zone.length + 1)),
      priority: given.data.priority ?? 0,
    };
  };
  const check = (record: Stored, others: readonly Stored[]): void => {
    const { host, type, answer, ttl, priority } = record;
    if (!/^(A|AAAA|ANAME|CNAME|MX|NS|SRV|TXT)$/.test(type)) throw invalid('Invalid Type');
    if (ttl < 300) throw invalid('Invalid TTL');
    if (answer === '' || isBadAddress(type, answer)) throw invalid('Invalid Answer');
    if (type === 'TXT' && (/"| $/.test(answer) || lengthInParts(answer) > TXT_MAX)) throw invalid('Invalid Txt Format');
    if (type === 'SRV' && !/^\d+ \d+ \S+$/.test(answer)) throw invalid('Invalid Srv Format');
    const here = others.filter((other) => other.host === host);
    if (here.some((other) => other.type === type && other.answer === answer && other.priority === priority))
      throw invalid('Duplicate Record');
    if (
      breaksCname(
        type,
        here.map((other) => other.type),
      ) ||
      (type === 'CNAME' && host === '')
    )
      // prettier-ignore
      throw invalid('A CNAME record cannot share its host with other records');
  };

  const update = (routed: Routed, body: unknown) => {
    const { zone, record } = recordOf(routed);
    const next = stored(body, zone.name, record.id);
    check(next, zone.records.filter((other) => other !== record)); // prettier-ignore
    zone.records.splice(zone.records.indexOf(record), 1, next);
    return json(200, shown(next, zone.name));
  };
  const remove = (routed: Routed) => {
    const { zone, record } = recordOf(routed);
    zone.records.splice(zone.records.indexOf(record), 1);
  };
  const both = (base: string) => ({
    [`GET ${base}/hello`]: () =>
      json(200, {
        username: USER.username,
        serverName: 'double',
        serverTime: new Date().toISOString(),
        motd: 'This is a test',
      }),
    [`GET ${base}/domains`]: ({ query }: Routed) => {
      const wanted = query.get('domainName');
      const names = [...zones.keys()].filter((name) => wanted === null || name === wanted);
      return listing('domains', names.map(domain), query);
    },
    [`GET ${base}/domains/:domain`]: (routed: Routed) => json(200, domain(zoneOf(routed).name)),
    [`GET ${base}/domains/:domain/records`]: (routed: Routed) => {
      const zone = zoneOf(routed);
      return listing('records', zone.records.map((record) => shown(record, zone.name)), routed.query); // prettier-ignore
    },
    [`GET ${base}/domains/:domain/records/:id`]: (routed: Routed) => {
      const { zone, record } = recordOf(routed);
      return json(200, shown(record, zone.name));
    },
    [`POST ${base}/domains/:domain/records`]: (routed: Routed) => {
      const zone = zoneOf(routed);
      const record = stored(routed.json, zone.name, ids++);
      check(record, zone.records);
      zone.records.push(record);
      return json(200, shown(record, zone.name));
    },
  });

  const answer = router(
    {
      ...both('/core/v1'),
      ...both('/v4'),
      'PUT /core/v1/domains/:domain/records/:id': (routed) => update(routed, routed.json),
      'PUT /v4/domains/:domain/records/:id': (routed) =>
        update(routed, { ...recordOf(routed).record, ...(routed.json as object) }),
      'DELETE /core/v1/domains/:domain/records/:id': (routed) => {
        remove(routed);
        return empty(204);
      },
      'DELETE /v4/domains/:domain/records/:id': (routed) => {
        remove(routed);
        return json(200, {});
      },
    },
    {
      before: (request) => {
        const expected = Buffer.from(`${USER.username}:${USER.token}`).toString('base64');
        if (request.header('authorization') !== `Basic ${expected}`) throw refuse(401, 'Unauthorized');
        const isJson = request.header('content-type')?.startsWith('application/json') === true;
        const isCore = request.url.pathname.startsWith('/core/');
        if (isCore && /^(POST|PUT|PATCH)$/.test(request.method) && !isJson)
          throw refuse(415, "The 'Content-Type' header must be 'application/json' for this request.");
      },
      notFound: () => json(404, { message: 'Not Found' }),
    },
  );

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}/core/v1`,
    credential: { username: USER.username, api_token: USER.token },
    stranger: { username: USER.username, api_token: 'fedcba9876543210fedcba9876543210fedcba98' },
    addZone: (name, records = []) => {
      const seeds = records.map(({ name: host, type, ttl, rdata }) => ({ host, type, ttl, ...fromSeed(type, rdata) }));
      zones.set(
        name,
        seeds.map((record) => ({ ...record, id: ids++ })),
      );
    },
    // The zone's own NS records follow from its name servers and are not part of its records.
    served: (zone) => [
      ...SERVERS.map((host) => ({ name: zone, type: 'NS', ttl: 3_600, rdata: `${host}.name.com.` })),
      ...(zones.get(zone) ?? []).map((record) => ({
        name: absolute(record.host, zone),
        type: record.type,
        ttl: record.ttl,
        rdata: rdataOf(record),
      })),
    ],
    dump: (zone) => dumpOf((zones.get(zone) ?? []).map(({ id: _, ...record }) => record)),
  };
};

const TXT_MAX = 512;

/** Length of a text with the quotes around its parts; escapes are not counted. */
const lengthInParts = (answer: string): number => {
  const bytes = Buffer.byteLength(answer);
  return bytes + 2 + 3 * (Math.max(1, Math.ceil(bytes / 255)) - 1);
};

function fromSeed(type: string, rdata: string): Pick<Stored, 'answer' | 'priority'> {
  if (type === 'TXT') return { answer: unquoteTxt(rdata), priority: 0 };
  if (type !== 'MX' && type !== 'SRV') return { answer: rdata.replace(/\.$/, ''), priority: 0 };
  const { priority, rest } = priorityAndRest(rdata);
  return { answer: rest, priority };
}

function rdataOf({ type, answer, priority }: Stored): string {
  if (type === 'TXT') return quoteTxt(answer);
  if (type === 'MX' || type === 'SRV') return `${priority} ${answer.replace(/\.$/, '')}.`;
  return ['CNAME', 'ANAME', 'NS'].includes(type) ? `${answer.replace(/\.$/, '')}.` : answer;
}
