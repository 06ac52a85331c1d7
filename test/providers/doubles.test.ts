import { assertionOf } from '../../src/providers/google_cloud_dns/service-account.ts';
import { signV4 } from '../../src/providers/route53/sigv4.ts';
import type { ProviderDouble } from './doubles/double.ts';
import { SERVICE_ACCOUNT } from './doubles/google_cloud_dns.ts';
import { startDoubleOf } from './every-double.ts';

/**
 * Behaviour of the real APIs on which our adapters do not depend, but other clients do. A double that is stricter or
 * laxer would accept or refuse programs that the provider does not.
 */
let double: ProviderDouble;
afterEach(() => double.stop());

const json = async (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ status: number; body: never }> => {
  const response = await fetch(`${new URL(double.url).origin}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as never };
};

describe('route53', () => {
  const change = async (set: string, action = 'CREATE') => {
    const url = new URL(`${double.url}/2013-04-01/hostedzone/Z0000000000000/rrset`);
    const content = `<ChangeBatch><Changes><Change><Action>${action}</Action><ResourceRecordSet>${set}</ResourceRecordSet></Change></Changes></ChangeBatch>`;
    const body = `<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${content}</ChangeResourceRecordSetsRequest>`;
    const key = {
      accessKeyId: double.credential['access_key_id']!,
      secretAccessKey: double.credential['secret_access_key']!,
    };
    const headers = signV4({ method: 'POST', url, body }, key, { region: 'us-east-1', service: 'route53', now: new Date() }); // prettier-ignore
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const value = (text: string) => `<ResourceRecords><ResourceRecord><Value>${text}</Value></ResourceRecord></ResourceRecords>`; // prettier-ignore
  const address = (name: string, text: string, more = '', ttl = '<TTL>60</TTL>') =>
    `<Name>${name}.example.test.</Name><Type>A</Type>${more}${ttl}${value(text)}`;
  const weighted = (id: string, weight: number, text: string) =>
    address('w', text, `<SetIdentifier>${id}</SetIdentifier><Weight>${weight}</Weight>`);

  beforeEach(async () => {
    double = await startDoubleOf('route53');
    double.addZone('example.test');
  });

  test('a set needs a TTL', async () => {
    expect(await change(address('a', '192.0.2.1', '', ''))).toMatchObject({
      status: 400,
      text: expect.stringMatching(/InvalidInput.*all of \[TTL, and ResourceRecords\]/) as string,
    });
  });

  test.each([
    ['A', 'not-an-address', 'ARRDATAIllegalIPv4Address'],
    ['AAAA', '192.0.2.1', 'AAAARRDATAIllegalIPv6Address'],
  ])('a record of type %s needs an address', async (type, text, problem) => {
    const set = address('a', text).replace('<Type>A<', `<Type>${type}<`);
    expect(await change(set)).toMatchObject({ status: 400, text: expect.stringContaining(problem) as string });
  });

  test('weighted sets share a name, each with its identifier, and exclude a simple set', async () => {
    expect((await change(weighted('blue', 10, '192.0.2.1'))).status).toBe(200);
    expect((await change(weighted('green', 90, '192.0.2.2'))).status).toBe(200);
    expect(await change(weighted('green', 90, '192.0.2.2'))).toMatchObject({ status: 400 });
    expect(await change(address('w', '192.0.2.3'))).toMatchObject({ status: 400 });
    expect(double.served('example.test').filter(({ name }) => name === 'w.example.test')).toHaveLength(2);

    expect(await change(weighted('blue', 11, '192.0.2.1'), 'DELETE')).toMatchObject({ status: 400 });
    expect((await change(weighted('blue', 20, '192.0.2.1'), 'UPSERT')).status).toBe(200);
    expect((await change(weighted('blue', 20, '192.0.2.1'), 'DELETE')).status).toBe(200);
    expect(double.served('example.test').filter(({ name }) => name === 'w.example.test')).toHaveLength(1);
  });
});

describe('vercel', () => {
  beforeEach(async () => {
    double = await startDoubleOf('vercel');
    double.addZone('example.test');
  });
  const get = (path: string) => json('GET', path, { authorization: `Bearer ${double.credential['api_token']!}` });

  test('domains of a team are visible only with the team', async () => {
    const team = double.credential['team_id']!;
    expect(await get(`/v5/domains?teamId=${team}`)).toMatchObject({ body: { domains: [{ name: 'example.test' }] } });
    expect(await get('/v5/domains?slug=the-team')).toMatchObject({ body: { domains: [{ name: 'example.test' }] } });
    expect(await get('/v5/domains')).toMatchObject({ status: 200, body: { domains: [] } });
    expect(await get('/v5/domains/example.test/records')).toMatchObject({ status: 404 });
    expect(await get('/v5/domains?slug=other-team')).toMatchObject({ status: 403 });
  });
});

describe('cloudflare', () => {
  const call = (method: string, path: string, body?: unknown) =>
    json(method, `/client/v4${path}`, { authorization: `Bearer ${double.credential['api_token']!}` }, body);
  let records = '';
  beforeEach(async () => {
    double = await startDoubleOf('cloudflare');
    double.addZone('example.test');
    const { body } = await call('GET', '/zones');
    records = `/zones/${(body as { result: { id: string }[] }).result[0]!.id}/dns_records`;
    for (const record of [
      { type: 'A', name: 'shop', content: '192.0.2.1', ttl: 300, comment: 'the web shop' },
      { type: 'A', name: 'www.shop', content: '192.0.2.2', ttl: 300 },
      { type: 'TXT', name: 'mail', content: '"v=spf1 -all"', ttl: 300, comment: 'Mail' },
    ])
      expect(await call('POST', records, record)).toMatchObject({ status: 200 });
  });

  test.each([
    ['name.contains=shop', ['shop', 'www.shop']],
    ['name.startswith=www', ['www.shop']],
    ['name.endswith=.shop.example.test', ['www.shop']],
    ['comment=Mail', ['mail']],
    ['comment.contains=WEB', ['shop']],
    ['comment.present', ['mail', 'shop']],
    ['comment.absent', ['www.shop']],
    ['search=192.0.2.2', ['www.shop']],
    ['search=web%20shop', ['shop']],
    ['type=TXT&name.contains=shop', []],
    ['type=TXT&name.contains=shop&match=any', ['mail', 'shop', 'www.shop']],
  ])('the filter %s selects records', async (query, names) => {
    const { body } = await call('GET', `${records}?${query}`);
    const found = (body as { result: { name: string }[] }).result.map(({ name }) => name.replace('.example.test', ''));
    expect(found.sort()).toEqual(names);
  });

  test('a proxied record has an automatic TTL, which is read as 1', async () => {
    const sent = { type: 'A', name: 'proxied', content: '192.0.2.1', ttl: 3600, proxied: true };
    expect(await call('POST', records, sent)).toMatchObject({ body: { result: { ttl: 1, proxied: true } } });
  });
});

describe('namecom', () => {
  const call = (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const { username, api_token } = double.credential;
    const authorization = `Basic ${Buffer.from(`${username!}:${api_token!}`).toString('base64')}`;
    return json('POST', `${path}/domains/example.test/records`, { authorization, ...headers }, body);
  };
  beforeEach(async () => {
    double = await startDoubleOf('namecom');
    double.addZone('example.test');
  });
  const target = { host: 'www', type: 'CNAME', answer: 'web.example.net.', ttl: 300 };

  test('a target loses its trailing dot', async () => {
    expect(await call('/core/v1', target)).toMatchObject({ status: 200, body: { answer: 'web.example.net' } });
    const service = { host: '_sip._tcp', type: 'SRV', answer: '5 5060 sip.example.net.', ttl: 300, priority: 10 };
    expect(await call('/core/v1', service)).toMatchObject({ status: 200, body: { answer: '5 5060 sip.example.net' } });
  });

  test('only the Core API demands the content type', async () => {
    const plain = { 'content-type': 'text/plain' };
    expect(await call('/core/v1', JSON.stringify(target), plain)).toMatchObject({ status: 415 });
    expect(await call('/v4', JSON.stringify(target), plain)).toMatchObject({ status: 200 });
  });
});

test('godaddy returns only the fields of a record that were asked for, and refuses unknown ones', async () => {
  double = await startDoubleOf('godaddy');
  double.addZone('example.test', [{ name: 'www', type: 'A', ttl: 600, rdata: '192.0.2.1' }]);
  const list = (query: string) =>
    json('GET', `/v3/domains/zones/example.test/dns-records?type=A&${query}`, {
      authorization: `Bearer ${double.credential['personal_access_token']!}`,
    });
  expect(((await list('fields=name,data')).body as { items: unknown }).items).toEqual([
    { name: 'www', data: '192.0.2.1' },
  ]);
  expect(await list('fields=name,colour')).toMatchObject({ status: 400 });
});

describe('azure_dns', () => {
  const tokenFor = async (scope: string) => {
    const { tenant_id, client_id, client_secret } = double.credential;
    const form = { grant_type: 'client_credentials', client_id: client_id!, client_secret: client_secret!, scope };
    const response = await fetch(`${double.tokenUrl!}/${tenant_id!}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return (await response.json()) as { access_token?: string };
  };
  beforeEach(async () => {
    double = await startDoubleOf('azure_dns');
    double.addZone('example.test');
    double.addZone('other.test');
  });

  test('the scope that Azure’s library for Go requests gets a token', async () => {
    expect(await tokenFor('https://management.core.windows.net//.default openid offline_access profile')).toMatchObject(
      {
        access_token: expect.any(String) as string,
      },
    );
    expect(await tokenFor('https://graph.microsoft.com/.default')).not.toHaveProperty('access_token');
  });

  test('a Resource Graph query finds zones by type, subscription, group and name', async () => {
    const { access_token = '' } = await tokenFor('https://management.azure.com/.default');
    const query = async (text: string) => {
      const path = '/providers/Microsoft.ResourceGraph/resources?api-version=2022-10-01';
      const options = { $top: 1_000, $skip: 0, resultFormat: 'objectArray' };
      return json('POST', path, { authorization: `Bearer ${access_token}` }, { query: text, options });
    };
    const zones = 'resources\n| where type =~ "microsoft.network/dnszones"';
    const project = '| project subscriptionId, resourceGroup, name';
    const { subscription_id: subscription = '' } = double.credential;
    expect(await query(`\n${zones}\n| where subscriptionId =~ "${subscription}"\n${project}`)).toMatchObject({
      status: 200,
      body: {
        totalRecords: 2,
        count: 2,
        resultTruncated: 'false',
        data: [
          { subscriptionId: subscription, resourceGroup: 'dns-test', name: 'example.test' },
          { subscriptionId: subscription, resourceGroup: 'dns-test', name: 'other.test' },
        ],
      },
    });
    expect(await query(`${zones} | where name == 'other.test' ${project}`)).toMatchObject({
      body: { totalRecords: 1 },
    });
    expect(await query(`${zones} | where resourceGroup =~ "elsewhere"`)).toMatchObject({ body: { data: [] } });
    expect(await query('resources | where type =~ "microsoft.network/privatednszones"')).toMatchObject({
      body: { data: [] },
    });
    expect(await query('resources | summarize count()')).toMatchObject({ status: 400 });
  });
});

test('google_cloud_dns compares text in a deletion by its content, not by its quotes', async () => {
  double = await startDoubleOf('google_cloud_dns');
  double.addZone('example.test', [
    { name: 't', type: 'TXT', ttl: 60, rdata: '"plain"' },
    { name: 't', type: 'TXT', ttl: 60, rdata: '"two" "parts"' },
  ]);
  const assertion = assertionOf(SERVICE_ACCOUNT, {
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    audience: 'https://oauth2.googleapis.com/token',
    nowMs: Date.now(),
  });
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const granted = await fetch(`${double.tokenUrl!}/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = (await granted.json()) as { access_token: string };
  const remove = (...rrdatas: string[]) =>
    json(
      'POST',
      '/dns/v1/projects/laboratory-project/managedZones/example-test/changes',
      { authorization: `Bearer ${access_token}` },
      { deletions: [{ name: 't.example.test.', type: 'TXT', ttl: 60, rrdatas }] },
    );
  expect(await remove('plain', '"twoparts"')).toMatchObject({ status: 412 });
  expect(await remove('plain', '"two"  "parts"')).toMatchObject({ status: 200 });
});

describe('dnsimple', () => {
  const call = (method: string, path: string, body?: unknown) =>
    json(method, `/v2/731${path}`, { authorization: `Bearer ${double.credential['api_token']!}` }, body);
  beforeEach(async () => {
    double = await startDoubleOf('dnsimple');
    double.addZone('example.test');
  });

  test('the target of an SRV record keeps its trailing dot, and other targets lose it', async () => {
    const service = { name: '_sip._tcp', type: 'SRV', content: '5 5060 sip.example.net.', priority: 10 };
    expect(await call('POST', '/zones/example.test/records', service)).toMatchObject({
      body: { data: { content: '5 5060 sip.example.net.' } },
    });
    const web = { name: 'www', type: 'CNAME', content: 'web.example.net.' };
    expect(await call('POST', '/zones/example.test/records', web)).toMatchObject({
      body: { data: { content: 'web.example.net' } },
    });
    expect(double.served('example.test')).toContainEqual(
      expect.objectContaining({ type: 'SRV', rdata: '10 5 5060 sip.example.net.' }),
    );
  });

  test('DNSSEC is off, and can be turned on and off', async () => {
    const path = '/domains/example.test/dnssec';
    expect(await call('GET', path)).toMatchObject({ status: 200, body: { data: { enabled: false } } });
    expect(await call('POST', path)).toMatchObject({ status: 201, body: { data: { enabled: true } } });
    expect(await call('GET', path)).toMatchObject({ body: { data: { enabled: true } } });
    expect(await call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await call('GET', path)).toMatchObject({ body: { data: { enabled: false } } });
    expect(await call('GET', '/domains/unknown.test/dnssec')).toMatchObject({ status: 404 });
  });
});

test('vultr describes the account of a key', async () => {
  double = await startDoubleOf('vultr');
  const account = (key: string) => json('GET', '/v2/account', { authorization: `Bearer ${key}` });
  expect(await account(double.credential['api_key']!)).toMatchObject({
    status: 200,
    body: { account: { name: expect.any(String) as string, acls: expect.arrayContaining(['dns']) as string[] } },
  });
  expect(await account('somebody-else')).toMatchObject({ status: 401 });
});
