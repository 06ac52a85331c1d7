import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { dumpOf, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Vultr's domains API: cursors, names relative to the zone, text in exactly one pair of quotes, values that can exist
 * twice.
 */
const KEY = 'VULTRKEY0123456789ABCDEFGHIJKLMNOPQR';
const PAGE = 100;

const ACCOUNT = {
  balance: 0,
  pending_charges: 0.6,
  last_payment_date: '2026-01-01T00:00:00+00:00',
  last_payment_amount: -10,
  name: 'The account',
  email: 'someone@example.com',
  acls: ['manage_users', 'subscriptions', 'dns', 'billing'],
};

const NewRecord = z.object({
  name: z.string(),
  type: z.string(),
  data: z.string(),
  ttl: z.number().default(300),
  priority: z.number().default(0),
});
type Stored = z.infer<typeof NewRecord> & { id: string };

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, Stored[]>();
  const refuse = (status: number, error: string) => new Refused(json(status, { error, status }));
  const zoneOf = (name = ''): Stored[] => {
    const zone = zones.get(name);
    if (!zone) throw refuse(404, 'Invalid domain.');
    return zone;
  };
  const listing = (key: string, items: readonly unknown[], query: URLSearchParams) => {
    const page = Number(Buffer.from(query.get('cursor') ?? '', 'base64').toString() || 1);
    const size = Math.min(Number(query.get('per_page') ?? PAGE), 500);
    const cut = pageOf(items, page, size);
    const cursorTo = (to: number) => (to < 1 || to > cut.pages ? '' : Buffer.from(String(to)).toString('base64'));
    const meta = { total: items.length, links: { next: cursorTo(page + 1), prev: cursorTo(page - 1) } };
    return json(200, { [key]: cut.items, meta });
  };
  const checked = (record: Stored, others: readonly Stored[]): Stored => {
    const { type, data, ttl, name } = record;
    if (!/^(A|AAAA|CNAME|NS|MX|SRV|TXT|CAA|SSHFP)$/.test(type)) throw refuse(400, 'Invalid record type.');
    if (ttl < 120) throw refuse(400, 'TTL must be at least 120.');
    if (isBadAddress(type, data)) throw refuse(400, 'Unable to add record: Invalid IP address.');
    if (type === 'TXT' && !/^"[^"]*"$/s.test(data))
      throw refuse(400, 'Invalid TXT data: it must be enclosed in quotes.');
    if (type === 'CAA' && /"[^"]*\s/.test(data)) throw refuse(400, 'Invalid CAA data.');
    const here = others.filter((other) => other.name === name).map((other) => other.type);
    if (breaksCname(type, here) || (type === 'CNAME' && name === ''))
      throw refuse(400, 'Unable to add record: a CNAME record conflicts with another record.');
    return record;
  };

  const answer = router(
    {
      'GET /v2/account': () => json(200, { account: ACCOUNT }),
      'GET /v2/domains': ({ query }) =>
        listing('domains', [...zones.keys()].map((domain) => ({ domain, date_created: '2026-01-01T00:00:00+00:00', dns_sec: 'disabled' })), query), // prettier-ignore
      'GET /v2/domains/:zone': ({ params }) => (
        zoneOf(params['zone']),
        json(200, { domain: { domain: params['zone'] } })
      ),
      'GET /v2/domains/:zone/records': ({ params, query }) => listing('records', zoneOf(params['zone']), query),
      'GET /v2/domains/:zone/records/:id': ({ params }) => {
        const record = zoneOf(params['zone']).find(({ id }) => id === params['id']);
        if (!record) throw refuse(404, 'Invalid record.');
        return json(200, { record });
      },
      'POST /v2/domains/:zone/records': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const given = NewRecord.safeParse(body);
        if (!given.success) throw refuse(400, 'Invalid request body.');
        const record = checked({ ...given.data, id: randomUUID() }, zone);
        zone.push(record);
        return json(201, { record });
      },
      'PATCH /v2/domains/:zone/records/:id': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const at = zone.findIndex(({ id }) => id === params['id']);
        const before = zone[at];
        if (!before) throw refuse(404, 'Invalid record.');
        const next = { ...before, ...(body as Partial<Stored>), id: before.id };
        zone[at] = checked(
          next,
          zone.filter((one) => one !== before),
        );
        return empty(204);
      },
      'DELETE /v2/domains/:zone/records/:id': ({ params }) => {
        const zone = zoneOf(params['zone']);
        const at = zone.findIndex(({ id }) => id === params['id']);
        if (at < 0) throw refuse(404, 'Invalid record.');
        zone.splice(at, 1);
        return empty(204);
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${KEY}`) throw refuse(401, 'Invalid API token.');
      },
      notFound: () => json(404, { error: 'Not found', status: 404 }),
    },
  );

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}/v2`,
    credential: { api_key: KEY },
    stranger: { api_key: 'VULTRKEYOFSOMEBODYELSE0123456789ABCD' },
    addZone: (name, records = []) => {
      const own = ['ns1', 'ns2'].map((host) => ({
        name: '',
        type: 'NS',
        data: `${host}.vultr.com`,
        ttl: 300,
        priority: -1,
      }));
      const seeds = records.map(({ name: host, type, ttl, rdata }) => ({
        name: host,
        type,
        ttl,
        ...fromSeed(type, rdata),
      }));
      zones.set(
        name,
        [...own, ...seeds].map((record) => ({ ...record, id: randomUUID() })),
      );
    },
    served: (zone) =>
      (zones.get(zone) ?? []).map(({ name, type, ttl, data, priority }) => ({
        name: absolute(name, zone),
        type,
        ttl,
        rdata:
          type === 'MX' || type === 'SRV'
            ? `${priority} ${data}.`
            : type === 'TXT'
              ? quoteTxt(data.slice(1, -1))
              : data,
      })),
    dump: (zone) => dumpOf((zones.get(zone) ?? []).map(({ id: _, ...record }) => record)),
  };
};

function fromSeed(type: string, rdata: string): { data: string; priority: number } {
  if (type === 'TXT') return { data: `"${unquoteTxt(rdata)}"`, priority: 0 };
  if (type !== 'MX' && type !== 'SRV') return { data: rdata.replace(/\.$/, ''), priority: 0 };
  const { priority, rest } = priorityAndRest(rdata);
  return { data: rest, priority };
}
