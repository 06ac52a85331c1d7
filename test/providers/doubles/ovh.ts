import { z } from 'zod';
import { signOvh } from '../../../src/providers/ovh/signature.ts';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { type DoubleOptions, dumpOf, type ProviderDouble, type ServedRecord, type StartDouble } from './double.ts';
import { json, Refused, router } from './router.ts';
import { type DoubleRequest, serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * OVHcloud's domain API. Signatures are verified, a listing contains only ids, targets are stored as sent, and the same
 * value can be created twice. The name servers serve the records of the last refresh.
 */
const KEY = {
  applicationKey: '7kbG7Bk7S9Nt7ZSV',
  applicationSecret: 'EXEgWIz07P0HYwtQDs7cNIqCiQaWSuHF',
  consumerKey: 'MtSwSrPpNjqfVSmJhLbPyr2i45lSwPU1',
};
const CLOCK_SKEW_SECONDS = 60;
const TYPES = /^(A|AAAA|CAA|CNAME|DKIM|DMARC|DNAME|HTTPS|LOC|MX|NAPTR|NS|PTR|RP|SPF|SRV|SSHFP|SVCB|TLSA|TXT)$/;

const Sent = z.object({
  fieldType: z.string(),
  subDomain: z.string().nullish(),
  target: z.string(),
  ttl: z.number().nullish(),
});
interface Stored {
  id: number;
  zone: string;
  fieldType: string;
  subDomain: string;
  target: string;
  ttl: number;
}
interface Zone {
  records: Stored[];
  deployed: readonly Stored[];
}

/**
 * Meaning of an empty `subDomain` in a listing: no filter, as users of the real API report, or the apex, as its
 * documentation suggests.
 */
type EmptyFilter = 'everything' | 'apex';

export const start: StartDouble = (options) => startWith('everything', options);

export const startWith = async (emptyFilter: EmptyFilter, { port }: DoubleOptions = {}): Promise<ProviderDouble> => {
  const zones = new Map<string, Zone>();
  let ids = 1_553_644_690;

  const refuse = (status: number, code: string, message: string) =>
    new Refused(json(status, { class: `Client::${code}`, message }, { 'x-ovh-queryid': 'EU.ext-1.0' }));
  const refuseCaller = (status: number, errorCode: string, message: string) =>
    new Refused(json(status, { errorCode, httpCode: `${status}`, message }));
  const zoneOf = (name = ''): Zone => {
    const zone = zones.get(name);
    if (!zone) throw refuse(404, 'NotFound', 'This service does not exist');
    return zone;
  };
  const recordOf = (zone: Zone, id = ''): Stored => {
    const record = zone.records.find((one) => String(one.id) === id);
    if (!record) throw refuse(404, 'NotFound', `The requested object (id = ${id}) does not exist`);
    return record;
  };
  const checked = (record: Stored, others: readonly Stored[]): Stored => {
    const { fieldType, subDomain, target, ttl } = record;
    const invalid = (message: string) => refuse(400, 'BadRequest', message);
    if (!TYPES.test(fieldType)) throw invalid(`[fieldType] Given data (${fieldType}) is not valid for type ENUM`);
    if (ttl !== 0 && ttl < 60) throw invalid('Invalid ttl: the minimum is 60');
    if (target === '') throw invalid('Missing target');
    if (isBadAddress(fieldType, target)) throw invalid(`Invalid target for a record of type ${fieldType}`);
    const here = others.filter((other) => other.subDomain === subDomain).map((other) => other.fieldType);
    if (breaksCname(fieldType, here) || (fieldType === 'CNAME' && subDomain === ''))
      throw refuse(409, 'Conflict', 'A CNAME record cannot coexist with another record of the same subDomain');
    return record;
  };

  const answer = router(
    {
      'GET /1.0/auth/time': () => json(200, Math.floor(Date.now() / 1_000)),
      'GET /1.0/auth/currentCredential': () =>
        json(200, { status: 'validated', rules: [{ method: 'GET', path: '/domain/zone/*' }], expiration: null }),
      'GET /1.0/domain/zone': () => json(200, [...zones.keys()]),
      'GET /1.0/domain/zone/': () => json(200, [...zones.keys()]),
      'GET /1.0/domain/zone/:zone': ({ params }) => {
        zoneOf(params['zone']);
        const nameServers = ['dns19.ovh.net', 'ns19.ovh.net'];
        return json(200, {
          name: params['zone'],
          nameServers,
          dnssecSupported: true,
          hasDnsAnycast: false,
          lastUpdate: '2026-01-01T00:00:00+01:00',
        });
      },
      'GET /1.0/domain/zone/:zone/status': ({ params }) => {
        const { records, deployed } = zoneOf(params['zone']);
        return json(200, {
          warnings: null,
          errors: null,
          isDeployed: dumpOf(records).join() === dumpOf(deployed).join(),
        });
      },
      'GET /1.0/domain/zone/:zone/record': ({ params, query }) => {
        const type = query.get('fieldType');
        const name = query.get('subDomain') || (emptyFilter === 'apex' ? query.get('subDomain') : null);
        const found = zoneOf(params['zone']).records.filter(
          ({ fieldType, subDomain }) =>
            (type === null || fieldType === type) && (name === null || isLike(subDomain, name)),
        );
        return json(200, found.map(({ id }) => id)); // prettier-ignore
      },
      'POST /1.0/domain/zone/:zone/record': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const given = Sent.safeParse(body);
        if (!given.success) throw refuse(400, 'BadRequest', 'Missing fieldType or target');
        const { fieldType, subDomain, target, ttl } = given.data;
        const record = checked(
          { id: ids++, zone: params['zone'] ?? '', fieldType, subDomain: subDomain ?? '', target, ttl: ttl ?? 0 },
          zone.records,
        );
        zone.records.push(record);
        return json(200, record);
      },
      'GET /1.0/domain/zone/:zone/record/:id': ({ params }) =>
        json(200, recordOf(zoneOf(params['zone']), params['id'])),
      'PUT /1.0/domain/zone/:zone/record/:id': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const before = recordOf(zone, params['id']);
        const given = Sent.omit({ fieldType: true }).partial().safeParse(body).data ?? {};
        const { subDomain = before.subDomain, target = before.target, ttl = before.ttl } = given;
        const others = zone.records.filter((one) => one !== before);
        const next = checked({ ...before, subDomain: subDomain ?? '', target, ttl: ttl ?? 0 }, others);
        zone.records[zone.records.indexOf(before)] = next;
        return json(200, null);
      },
      'DELETE /1.0/domain/zone/:zone/record/:id': ({ params }) => {
        const zone = zoneOf(params['zone']);
        const record = recordOf(zone, params['id']);
        zone.records = zone.records.filter((one) => one !== record);
        return json(200, null);
      },
      'POST /1.0/domain/zone/:zone/refresh': ({ params }) => {
        const zone = zoneOf(params['zone']);
        zone.deployed = [...zone.records];
        return json(200, null);
      },
    },
    {
      before: (request) => {
        if (request.url.pathname !== '/1.0/auth/time') verify(request);
      },
      notFound: ({ url }) => json(404, { message: `Got an invalid (or empty) URL: ${url.pathname}` }),
    },
  );

  function verify({ method, url, header, body }: DoubleRequest): void {
    if (header('x-ovh-application') !== KEY.applicationKey)
      throw refuseCaller(403, 'INVALID_KEY', 'This application key is invalid');
    if (header('x-ovh-consumer') !== KEY.consumerKey)
      throw refuseCaller(403, 'INVALID_CREDENTIAL', 'This credential is not valid');
    const timestamp = Number(header('x-ovh-timestamp'));
    if (!(Math.abs(timestamp - Date.now() / 1_000) < CLOCK_SKEW_SECONDS))
      throw refuseCaller(400, 'QUERY_TIME_OUT', 'Query out of time');
    const expected = signOvh({ method, url: url.href, body }, KEY, timestamp);
    if (header('x-ovh-signature') !== expected['x-ovh-signature'])
      throw refuseCaller(400, 'INVALID_SIGNATURE', 'Invalid signature');
  }

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}/1.0`,
    credential: {
      application_key: KEY.applicationKey,
      application_secret: KEY.applicationSecret,
      consumer_key: KEY.consumerKey,
    },
    stranger: {
      application_key: KEY.applicationKey,
      application_secret: 'q9Yz0TbLr4mXcV7kWn2sHj5dFg8aPe3u',
      consumer_key: 'Zp4nT9wBq2LxR7mKc5vHd8sGf3jYe6ua',
    },
    addZone: (name, seeds = []) => {
      const own = ['dns19.ovh.net.', 'ns19.ovh.net.'].map((rdata) => ({ name: '', type: 'NS', ttl: 0, rdata }));
      const records = [...own, ...seeds].map(({ name: subDomain, type: fieldType, ttl, rdata: target }) => ({
        id: ids++,
        zone: name,
        fieldType,
        subDomain,
        target,
        ttl,
      }));
      zones.set(name, { records, deployed: [...records] });
    },
    served: (zone) => (zones.get(zone)?.deployed ?? []).map(asServed),
    dump: (zone) => dumpOf((zones.get(zone)?.records ?? []).map(({ id: _, ...record }) => record)),
  };
};

/** The filter is SQL's LIKE, in which `_` matches any one character. */
const isLike = (value: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('_', '.')
      .replaceAll('%', '.*')}$`,
  ).test(value);

function asServed({ zone, fieldType, subDomain, target, ttl }: Stored): ServedRecord {
  const isText = /^(TXT|SPF|DKIM|DMARC)$/.test(fieldType);
  const isRelative = /^(CNAME|NS|MX|SRV)$/.test(fieldType) && !target.endsWith('.');
  return {
    name: absolute(subDomain, zone),
    type: isText ? 'TXT' : fieldType,
    ttl: ttl || 3_600,
    rdata: isText && !target.startsWith('"') ? quoteTxt(target) : isRelative ? `${target}.${zone}.` : target,
  };
}
