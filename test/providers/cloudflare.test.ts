import { cloudflare } from '../../src/providers/cloudflare/adapter.ts';
import { type ProviderHttp, providerHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import { aloneWith } from './processes.ts';
import { type CloudflareDouble, start, startCloudflareDouble } from './doubles/cloudflare.ts';

const TOKEN = 'cf-token-0123456789abcdef';

const refused = (
  name: string,
  code: 'auth_failed' | 'forbidden_scope' | 'zone_not_found' | 'conflict' | 'validation' | 'plan_required',
  status: number,
  number: number,
  message: string,
) => ({
  name,
  code,
  answer: { status, body: JSON.stringify({ success: false, errors: [{ code: number, message }], result: null }) },
});

doubleConformance(cloudflare, start, {
  refusals: [
    refused('a malformed token', 'auth_failed', 400, 6003, 'Invalid request headers'),
    refused('an unknown token', 'auth_failed', 403, 9109, 'Invalid access token'),
    refused('a token without the permission', 'forbidden_scope', 403, 10000, 'Authentication error'),
    refused('a zone that the token does not cover', 'forbidden_scope', 403, 9109, 'Unauthorized to access requested resource'), // prettier-ignore
    refused('more records than the plan has', 'plan_required', 400, 81045, 'Record quota exceeded.'),
    refused('no such zone', 'zone_not_found', 400, 7003, 'Could not route to /zones'),
    refused('a conflict', 'conflict', 400, 81053, 'An A, AAAA, or CNAME record with that host already exists.'),
    refused('bad content', 'validation', 400, 9005, `Content is invalid: ${TOKEN}`),
  ],
});

describe('cloudflare in particular', () => {
  let double: CloudflareDouble;
  let http: ProviderHttp;
  beforeEach(async () => {
    double = await startCloudflareDouble();
    double.tokens.set(TOKEN, 'edit').set('cf-token-that-only-reads', 'read');
    http = providerHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const open = (api_token = TOKEN) => cloudflare.open({ api_token }, { ...aloneWith(http), baseUrl: double.url });

  test('zones beyond the first page are found; pending, partial and secondary ones are left out', async () => {
    const names = Array.from({ length: 120 }, (_, i) => `z${i}.test`);
    for (const name of names) double.addZone({ name });
    double.addZone({ name: 'pending.test', status: 'pending' });
    double.addZone({ name: 'partial.test', type: 'partial' });
    expect((await open().verify()).map(({ name }) => name).sort()).toEqual(names.sort());
    expect(await open().findZone('www.pending.test')).toBeUndefined();
  });

  test('a record of ours is never proxied, and one put back has its proxy, comment, tags and settings as they were', async () => {
    const id = double.addZone({ name: 'example.test' });
    const theirs = {
      name: 'shop.example.test',
      type: 'A',
      content: '192.0.2.1',
      ttl: 1,
      proxied: true,
      comment: 'web',
      tags: ['x:y'],
      settings: { ipv4_only: true },
    };
    double.addRecord(id, theirs);
    const before = dump(double, id);
    const account = open();
    const zone = { id, name: 'example.test', nameservers: [] };
    const [present] = await account.records(zone, ['shop.example.test']);
    const ours = {
      host: 'shop.example.test',
      type: 'CNAME',
      value: 'edge.example.net',
      ttl: 300,
      priority: null,
    } as const;

    await account.apply(zone, { add: [ours], remove: [present!] });
    expect(double.recordsOf(id)).toMatchObject([{ type: 'CNAME', proxied: false }]);

    const back = {
      host: present!.host,
      type: 'A',
      value: '192.0.2.1',
      ttl: present!.ttl,
      priority: null,
      extra: present!.extra,
    } as const;
    await account.apply(zone, { add: [back], remove: [ours] });
    expect(dump(double, id)).toEqual(before);
  });

  test('a record that Cloudflare manages can be neither replaced nor removed', async () => {
    const id = double.addZone({ name: 'example.test' });
    const managed = { name: 'mail.example.test', type: 'A', content: '192.0.2.1', ttl: 1, meta: { read_only: true } };
    double.addRecord(id, managed);
    const zone = { id, name: 'example.test', nameservers: [] };
    const present = await open().records(zone, ['mail.example.test']);
    expect(present).toMatchObject([{ readOnly: true }]);
    await expect(open().apply(zone, { add: [], remove: present })).rejects.toMatchObject({ code: 'conflict' });
  });

  test.each([
    ['a user', TOKEN, '2099-01-01'],
    ['an account', 'cfat_0123456789abcdef', '2099-02-02'],
    ['an account, made before tokens had a prefix,', 'cf-old-account-0123456789', '2099-02-02'],
  ])('the expiry of a token of %s is read where Cloudflare knows the token', async (_, token, day) => {
    double.tokens.set(token, 'edit');
    double.addZone({ name: 'example.test' });
    expect(await open(token).expiry?.()).toEqual(new Date(`${day}T00:00:00Z`));
  });

  test('the expiry of a token without zones is unknown, and the token is valid', async () => {
    double.tokens.set('cfat_empty', 'edit');
    expect(await open('cfat_empty').verify()).toEqual([]);
    expect(await open('cfat_empty').expiry?.()).toBeUndefined();
  });

  test('a token that only reads finds its zone and is refused when it writes', async () => {
    const id = double.addZone({ name: 'example.test' });
    const account = open('cf-token-that-only-reads');
    expect(await account.findZone('example.test')).toMatchObject({ id });
    const ours = { host: 'example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;
    const write = account.apply({ id, name: 'example.test', nameservers: [] }, { add: [ours], remove: [] });
    await expect(write).rejects.toMatchObject({ code: 'forbidden_scope' });
  });
});

/** The id is not part of a record's content: a record that was put back has a new one. */
const dump = (double: CloudflareDouble, zoneId: string): string[] =>
  double
    .recordsOf(zoneId)
    .map(({ id: _, zoneId: __, ...record }) => JSON.stringify(Object.entries({ proxied: false, ...record }).sort()))
    .sort();
