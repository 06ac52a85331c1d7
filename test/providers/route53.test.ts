import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import { type ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { route53 } from '../../src/providers/route53/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { KEY, type Route53Double, start, startRoute53Double } from './doubles/route53.ts';
import type { R53Set } from './doubles/route53-sets.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, awsCode: string) => ({
  name,
  code,
  answer: {
    status,
    body: `<ErrorResponse><Error><Code>${awsCode}</Code><Message>no, ${KEY.secret_access_key}</Message></Error></ErrorResponse>`,
  },
});

doubleConformance(route53, start, {
  refusals: [
    refused('an unknown key', 'auth_failed', 403, 'InvalidClientTokenId'),
    refused('an expired session', 'auth_failed', 403, 'ExpiredToken'),
    refused('a policy that forbids it', 'forbidden_scope', 403, 'AccessDenied'),
    refused('no such zone', 'zone_not_found', 404, 'NoSuchHostedZone'),
    refused('throttling, which comes as 400', 'rate_limited', 400, 'Throttling'),
    refused('an earlier request still running', 'transient', 400, 'PriorRequestNotComplete'),
    refused('bad input', 'validation', 400, 'InvalidInput'),
    {
      name: 'a batch refused in the second documented form',
      code: 'conflict',
      answer: {
        status: 400,
        body: '<InvalidChangeBatch><Messages><Message>RRSet of type CNAME conflicts with other records</Message></Messages></InvalidChangeBatch>',
      },
    },
  ],
});

describe('route53 in particular', () => {
  let double: Route53Double;
  let http: ProviderHttp;
  beforeEach(async () => {
    double = await startRoute53Double();
    double.keys.set(KEY.access_key_id, KEY.secret_access_key);
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const open = (more: Record<string, string> = {}) =>
    route53.open({ ...KEY, ...more }, { ...aloneWith(http), baseUrl: double.url });
  const ours = { host: 'shop.example.test', type: 'A', value: '192.0.2.9', ttl: 300, priority: null } as const;

  test('an alias of another type is never changed', async () => {
    const id = double.addZone({
      name: 'example.test',
      sets: [{ name: 't.example.test', type: 'TXT', ttl: 0, values: [], alias: 'u.example.test' }],
    });
    const before = JSON.stringify(double.setsOf(id));
    const zone = { id, name: 'example.test', nameservers: [] };
    const add = [{ host: 't.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const];
    await expect(open().apply(zone, { add, remove: [] })).rejects.toMatchObject({ code: 'conflict' });
    expect(JSON.stringify(double.setsOf(id))).toBe(before);
  });

  test('a hosted zone ID is accepted as the console shows it, and an unknown ID is reported', async () => {
    const id = double.addZone({ name: 'example.test' });
    expect(await open({ hosted_zone_id: `/hostedzone/${id}` }).verify()).toMatchObject([{ name: 'example.test' }]);
    await expect(open({ hosted_zone_id: 'ZNOBODY' }).verify()).rejects.toMatchObject({ code: 'zone_not_found' });
  });

  test('zones beyond the first page are found, and private zones are left out', async () => {
    const names = Array.from({ length: 230 }, (_, i) => `z${i}.test`);
    for (const name of names) double.addZone({ name });
    double.addZone({ name: 'private.test', isPrivate: true });
    expect((await open().verify()).map(({ name }) => name).sort()).toEqual(names.sort());
    expect(await open().findZone('www.private.test')).toBeUndefined();
  });

  test('of two zones with one name none is guessed; the credential must name one', async () => {
    double.addZone({ name: 'example.test' });
    const second = double.addZone({ name: 'example.test' });
    await expect(open().findZone('example.test')).rejects.toMatchObject({ code: 'conflict' });
    expect(await open({ hosted_zone_id: second }).findZone('www.example.test')).toMatchObject({ id: second });
  });

  test('sets of one name on several pages are read completely', async () => {
    const sets = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((identifier, i) => ({
      name: 'shop.example.test',
      type: 'A',
      ttl: 60,
      values: [`192.0.2.${i}`],
      identifier,
      extraXml: '<Weight>1</Weight>',
    }));
    const id = double.addZone({ name: 'example.test', sets });
    const zone = { id, name: 'example.test', nameservers: [] };
    expect(await open().records(zone, ['shop.example.test'])).toHaveLength(7);
  });

  test.each<[string, R53Set]>([
    ['an alias', { name: 'shop.example.test', type: 'A', ttl: 0, values: [], alias: 'lb.elb.amazonaws.com' }],
    ['a weighted set', { name: 'shop.example.test', type: 'A', ttl: 60, values: ['192.0.2.1'], identifier: 'blue', extraXml: '<Weight>1</Weight>' }], // prettier-ignore
    ['a set with a health check', { name: 'shop.example.test', type: 'A', ttl: 60, values: ['192.0.2.1'], extraXml: '<HealthCheckId>abc</HealthCheckId>' }], // prettier-ignore
    ['a set of a traffic policy', { name: 'shop.example.test', type: 'A', ttl: 60, values: ['192.0.2.1'], extraXml: '<TrafficPolicyInstanceId>abc</TrafficPolicyInstanceId>' }], // prettier-ignore
  ])('%s is never changed', async (_, set) => {
    const id = double.addZone({ name: 'example.test', sets: [set] });
    const zone = { id, name: 'example.test', nameservers: [] };
    const account = open();
    const present = await account.records(zone, ['shop.example.test']);

    await expect(account.apply(zone, { add: [ours], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
    await expect(account.apply(zone, { add: [ours], remove: present })).rejects.toMatchObject({ code: 'conflict' });
    expect(double.setsOf(id)).toEqual([set]);
  });

  test('the name servers of the zone itself are never changed, and those of a name below it can be', async () => {
    const sets = ['example.test', 'sub.example.test'].map((name) => ({ name, type: 'NS', ttl: 60, values: ['ns1.example.net.'] })); // prettier-ignore
    const id = double.addZone({ name: 'example.test', sets });
    const zone = { id, name: 'example.test', nameservers: [] };
    const account = open();
    const server = { ...ours, host: 'example.test', type: 'NS', value: 'ns2.example.net' } as const;
    await expect(account.apply(zone, { add: [server], remove: [] })).rejects.toMatchObject({ code: 'conflict' });
    await account.apply(zone, { add: [{ ...server, host: 'sub.example.test' }], remove: [] });
    expect(double.setsOf(id).map(({ values }) => values.length)).toEqual([1, 2]);
  });

  test('temporary keys send their session token, signed', async () => {
    const id = double.addZone({ name: 'example.test' });
    expect(await open({ session_token: 'session/token+of=the+role' }).findZone('example.test')).toMatchObject({ id });
  });
});
