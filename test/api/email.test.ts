import { randomBytes } from 'node:crypto';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { archiveConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { findKey } from '../../src/db/tenant/keys.ts';
import { mailWritten, ownedValues } from '../../src/db/zone/ledger.ts';
import { none, sql } from '../../src/db/pool.ts';
import { publish } from '../../src/db/zone/sandbox-records.ts';
import { subjectOf } from '../../src/db/observation/subject.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { createDetection } from '../../src/dns/detect.ts';
import { purposesToRemove } from '../../src/domain/connection/offboarding.ts';
import type { RecordType } from '../../src/domain/record.ts';
import { removeAll } from '../../src/provisioning/remove.ts';
import { sandboxChecker } from '../../src/sandbox/checker.ts';
import { sandboxObserver } from '../../src/sandbox/observer.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
let user: ApiUser;
const parts = () => ({ db: api.deps.pool, edge: api.deps.edge, detection: createDetection([]) });
beforeAll(async () => {
  api = await startTestApi({
    lookupFor: (_domain, tenantId) => sandboxObserver(parts(), { tenantId, liveAt: null }, Date.now()).lookup(),
  });
  tenant = await api.tenant();
  user = new ApiUser(api.baseUrl, tenant.test);
});
afterAll(() => api.stop());

interface Applied {
  applied: boolean;
  domain: string;
  written_records: { host: string; type: string; value: string }[];
  manual_records: { host: string; type: string; value: string }[];
  existing_records: { host: string; type: string; value: string }[];
  notes: string[];
  spf_lookups: { count: number; limit: number };
}

interface EmailSetup {
  provider: string;
  domain: string;
  records: object[];
  notes: { code: string }[];
  observed_at: string | null;
}

const someDomain = () => `d${randomBytes(5).toString('hex')}.test`;
const signal = AbortSignal.timeout(60_000);
const now = () => new Date();

/** Creates a proved connection, and a credential that can write its domain unless `zone` is null. */
async function proved(
  hostname: string,
  { zone = hostname, of = tenant }: { zone?: string | null; of?: NewTenant } = {},
) {
  const row = await newConnection(api.deps.pool, of, hostname);
  await api.deps.pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${row.id}`);
  if (zone !== null) {
    const path = `/applications/${of.test.application_id}/credentials`;
    const made = await new ApiUser(api.baseUrl, of.test).call('POST', path, {
      provider: 'sandbox',
      credentials: { zone },
    });
    expect(made.status).toBe(201);
  }
  return row;
}

const put = (host: string, type: RecordType, value: string, priority: number | null = null) =>
  publish(api.deps.pool, tenant.tenant_id, { host, type, value, ttl: 600, priority }, new Date(0));

const zoneOf = async (domain: string): Promise<string[]> => {
  const rows = await api.deps.pool.anyFirst(sql.unsafe`
    SELECT concat_ws(' ', host, type, priority, value) FROM sandbox_records
    WHERE tenant_id = ${tenant.tenant_id} AND (host = ${domain} OR host LIKE ${`%.${domain}`}) ORDER BY 1`);
  return rows.map(String);
};

async function apply(id: string, body: object = { provider: 'google' }, as = user) {
  const { status, body: answer } = await as.call('POST', `/connections/${id}/email:apply`, body);
  return { status, body: answer as unknown as Applied & { error: { code: string; message: string } } };
}

const DMARC = (domain: string) => `_dmarc.${domain} TXT v=DMARC1; p=none; rua=mailto:dmarc@${domain}`;

test('an empty zone gets MX and DMARC, and the SPF record stays a manual step', async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  const { status, body } = await apply(id);

  expect(status).toBe(200);
  expect(body).toMatchObject({ applied: true, domain, provider: 'google_workspace' });
  expect(body.written_records.map(({ type }) => type)).toEqual(['MX', 'TXT']);
  expect(body.manual_records).toMatchObject([
    { host: domain, type: 'TXT', value: 'v=spf1 include:_spf.google.com ~all' },
  ]);
  expect(body.notes.join(' ')).toMatch(/DKIM/);
  expect(await zoneOf(domain)).toEqual([DMARC(domain), `${domain} MX 1 smtp.google.com`]);
});

test('a second apply writes nothing, and reports the records as existing and not as written', async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  const first = await apply(id);
  const before = await zoneOf(domain);
  const second = await apply(id);

  expect(second.body).toMatchObject({ applied: false, written_records: [] });
  expect(second.body.existing_records).toEqual(first.body.written_records);
  expect(second.body.manual_records).toEqual(first.body.manual_records);
  expect(await zoneOf(domain)).toEqual(before);
});

test('the SPF record is a manual step even if it exists, and is then listed as existing', async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  const value = 'v=spf1 include:_spf.google.com ~all';
  await put(domain, 'TXT', value);
  const { body } = await apply(id);

  expect(body.manual_records).toMatchObject([{ host: domain, type: 'TXT', value }]);
  expect(body.existing_records).toMatchObject([{ host: domain, type: 'TXT', value }]);
});

test('an SPF record that needs more than ten lookups is reported with the count', async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  const includes = Array.from({ length: 12 }, (_, i) => `include:s${i}.${domain}`);
  for (const include of includes) await put(include.slice('include:'.length), 'TXT', 'v=spf1 ip4:192.0.2.1 -all');
  await put(domain, 'TXT', `v=spf1 ${includes.join(' ')} -all`);
  const { body } = await apply(id);

  expect(body.spf_lookups).toMatchObject({ count: 13, limit: 10 });
  expect(body.notes.join('\n')).toMatch(/costs receivers 13 DNS lookups, and they stop after 10/);
});

test('a zone with foreign MX, SPF and DMARC keeps all three, and notes explain what to do', async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  await put(domain, 'MX', 'mx.old-host.test', 10);
  await put(domain, 'TXT', 'v=spf1 ip4:192.0.2.1 include:sendgrid.net -all');
  await put(domain, 'TXT', 'site-verification=abc');
  await put(`_dmarc.${domain}`, 'TXT', 'v=DMARC1; p=reject');
  const before = await zoneOf(domain);
  const { body } = await apply(id, { provider: 'zoho' });

  expect(await zoneOf(domain)).toEqual(before);
  expect(body).toMatchObject({ applied: false, written_records: [] });
  expect(body.manual_records.map(({ type, value }) => `${type} ${value}`)).toEqual([
    'MX mx.zoho.com',
    'MX mx2.zoho.com',
    'MX mx3.zoho.com',
    `TXT v=DMARC1; p=none; rua=mailto:dmarc@${domain}`,
    'TXT v=spf1 ip4:192.0.2.1 include:sendgrid.net include:zohomail.com -all',
  ]);
  const notes = body.notes.join('\n');
  expect(notes).toMatch(/goes to mx\.old-host\.test today, and stays there/);
  expect(notes).toMatch(/already has an SPF record. Replace its value with the one in the list/);
  expect(notes).toMatch(/DMARC record .* stays as it is/);
});

test("another provider replaces our records, but never the customer's", async () => {
  const domain = someDomain();
  const { id } = await proved(domain);
  await apply(id, { provider: 'microsoft_365', dkim: ['s1.onmicrosoft.test', 's2.onmicrosoft.test'] });
  await put(`autodiscover.other.${domain}`, 'CNAME', 'elsewhere.test');
  expect((await zoneOf(domain)).filter((line) => line.startsWith('autodiscover'))).toHaveLength(2);
  const { body } = await apply(id, { provider: 'google_workspace' });

  expect(body.applied).toBe(true);
  expect(await zoneOf(domain)).toEqual([
    DMARC(domain),
    `autodiscover.other.${domain} CNAME elsewhere.test`,
    `${domain} MX 1 smtp.google.com`,
    // Kept, because mail that was signed with these keys may still be in transit.
    `selector1._domainkey.${domain} CNAME s1.onmicrosoft.test`,
    `selector2._domainkey.${domain} CNAME s2.onmicrosoft.test`,
  ].sort()); // prettier-ignore
});

test('reverting removes the records of one purpose and keeps the others', async () => {
  const domain = someDomain();
  const row = await proved(domain);
  await apply(row.id);
  const connection = await user.call('POST', `/connections/${row.id}/dns:revert`);
  expect(connection.body).toEqual({ reverted: false, values: 0 });
  expect(await zoneOf(domain)).toHaveLength(2);

  const mail = await user.call('POST', `/connections/${row.id}/dns:revert`, { purpose: 'email' });
  expect(mail.body).toEqual({ reverted: true, values: 2 });
  expect(await zoneOf(domain)).toEqual([]);
  expect((await user.call('POST', `/connections/${row.id}/dns:revert`, { purpose: 'mail' })).status).toBe(400);
});

test('without a credential all records are manual steps, including the merged SPF record', async () => {
  const domain = someDomain();
  const { id } = await proved(domain, { zone: null });
  await put(domain, 'TXT', 'v=spf1 mx ?all');
  await put(domain, 'MX', 'smtp.google.com', 1);
  const { body } = await apply(id);

  expect(body).toMatchObject({ applied: false, written_records: [] });
  expect(body.manual_records.map(({ value }) => value)).toEqual([
    'smtp.google.com',
    `v=DMARC1; p=none; rua=mailto:dmarc@${domain}`,
    'v=spf1 mx include:_spf.google.com ?all',
  ]);
  expect(body.existing_records).toMatchObject([{ host: domain, type: 'MX', value: 'smtp.google.com' }]);
});

test('a proved subdomain does not allow changes to the mail of the domain, until the domain is connected too', async () => {
  const domain = someDomain();
  const shop = await proved(`shop.${domain}`, { zone: domain });
  const refused = await apply(shop.id);
  expect(refused.body).toMatchObject({ applied: false, domain });
  expect(refused.body.notes[0]).toMatch(/does not allow changes to the mail of/);
  expect(await zoneOf(domain)).toEqual([]);

  const www = await proved(`www.${domain}`, { zone: null });
  expect((await apply(www.id)).body.applied).toBe(true);
  await user.call('POST', `/connections/${www.id}/dns:revert`, { purpose: 'email' });

  await proved(domain, { zone: null });
  expect((await apply(shop.id)).body.applied).toBe(true);
});

test("another tenant's claim of the domain does not allow changes to its mail", async () => {
  const domain = someDomain();
  await proved(domain, { zone: null, of: await api.tenant() });
  const shop = await proved(`shop.${domain}`, { zone: domain });

  expect((await apply(shop.id)).body).toMatchObject({ applied: false, written_records: [] });
  expect(await zoneOf(domain)).toEqual([]);
});

test('before the proof nothing is written and every record is a manual step; an archived connection is refused', async () => {
  const domain = someDomain();
  const row = await newConnection(api.deps.pool, tenant, domain);
  const credentials = { provider: 'sandbox', credentials: { zone: domain } };
  await user.call('POST', `/applications/${tenant.test.application_id}/credentials`, credentials);
  const { status, body } = await apply(row.id);
  expect([status, body.applied, body.written_records]).toEqual([200, false, []]);
  expect(body.manual_records.map(({ type }) => type)).toEqual(['MX', 'TXT', 'TXT']);
  expect(body.notes[0]).toMatch(/not proved yet, so we write nothing/);
  expect(await zoneOf(domain)).toEqual([]);
  await user.call('DELETE', `/connections/${row.id}`);
  expect(await apply(row.id)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
});

test('an archive between read and write leaves none of our records in the zone', async () => {
  const domain = someDomain();
  const row = await proved(domain);
  const { pool } = api.deps;
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (open = resolve));
  const archiving = pool.transaction(async (tx) => {
    await archiveConnection(tx, (await lockConnection(tx, row.id))!, now());
    open();
    // Meanwhile the request reads the zone and waits for the row.
    await tx.query(sql.unsafe`SELECT pg_sleep(0.3)`);
  });
  await held;
  const answer = await apply(row.id);
  await archiving;

  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  expect(await zoneOf(domain)).toEqual([]);
});

test('unknown providers and invalid DKIM values are refused', async () => {
  const { id } = await proved(someDomain(), { zone: null });
  const unknown = await apply(id, { provider: 'pigeon' });
  expect(unknown.status).toBe(400);
  expect(unknown.body.error.message).toMatch(/google_workspace, microsoft_365, zoho/);
  expect((await apply(id, { provider: 'm365', dkim: ['one.test'] })).status).toBe(400);
  expect((await apply(id, { provider: 'google', colour: 'red' })).status).toBe(400);
});

test('a widget token cannot write mail records, but reads what each mailbox provider needs', async () => {
  const { id, hostname } = await proved(someDomain());
  const grant = {
    tenantId: tenant.tenant_id,
    applicationId: tenant.test.application_id,
    environment: 'test',
    hostname,
    externalId: null,
    mintedBy: (await findKey(api.deps.pool, tenant.test.key))!.id,
  } as const;
  const { token } = await mintWidgetToken(api.deps.keys.widgetTokens, api.deps.baseUrl, grant, now());
  const browser = new ApiUser(api.baseUrl, { key: token, application_id: tenant.test.application_id });
  expect((await apply(id, { provider: 'google' }, browser)).status).toBe(403);

  const setup = async () => {
    const { body } = await browser.call('GET', `/connections/${id}?include=email_setup`);
    return (body['email_setup'] as EmailSetup[]).find(({ provider }) => provider === 'google_workspace')!;
  };
  expect((await setup()).observed_at).toBeNull();
  await put(hostname, 'MX', 'mx.old-host.test', 10);
  await put(hostname, 'TXT', 'v=spf1 mx -all');
  await put(`_dmarc.${hostname}`, 'TXT', 'v=DMARC1; p=reject');
  await browser.call('POST', `/connections/${id}/records:check`);
  const { records, notes, domain, observed_at } = await setup();

  expect([domain, typeof observed_at]).toEqual([hostname, 'string']);
  expect(records).toMatchObject([
    { type: 'MX', value: 'smtp.google.com', action: 'replace', replaces: [{ value: 'mx.old-host.test' }] },
    { type: 'TXT', value: 'v=spf1 mx include:_spf.google.com -all', action: 'replace', replaces: [{ value: 'v=spf1 mx -all' }] },
  ]); // prettier-ignore
  expect(notes.map(({ code }) => code)).toEqual(['mx_stays', 'spf_merge', 'dmarc_strict', 'dkim_key']);
  expect((await browser.call('GET', `/connections/${id}`)).body).not.toHaveProperty('email_setup');
});

describe('after the archive', () => {
  test.each([
    ['keep', 2],
    ['remove', 0],
  ] as const)('with offboarding_email %s, %i mail records stay', async (offboarding_email, left) => {
    const domain = someDomain();
    const row = await proved(domain);
    await apply(row.id);
    await user.call('PATCH', `/applications/${tenant.test.application_id}`, { offboarding_email });
    await user.call('DELETE', `/connections/${row.id}`);
    const purposes = purposesToRemove({ offboarding_email });
    await removeAll(api.deps.providerAccess, row.id, purposes, { now: now(), signal });
    expect(await zoneOf(domain)).toHaveLength(left);
    await user.call('PATCH', `/applications/${tenant.test.application_id}`, { offboarding_email: 'keep' });
  });

  test('the next connection of the hostname takes over the mail records and can revert them', async () => {
    const domain = someDomain();
    const before = await proved(domain);
    await apply(before.id);
    await user.call('DELETE', `/connections/${before.id}`);
    const next = await proved(domain, { zone: null });
    expect((await apply(next.id)).body.existing_records).toHaveLength(2);
    expect(await ownedValues(api.deps.pool, before.id)).toEqual([]);
    const mail = await user.call('POST', `/connections/${next.id}/dns:revert`, { purpose: 'email' });
    expect(mail.body).toEqual({ reverted: true, values: 2 });
    expect(await zoneOf(domain)).toEqual([]);
  });
});

test('a mail record that the customer deletes is a warning, not drift', async () => {
  const domain = someDomain();
  const row = await proved(domain);
  await apply(row.id);
  const checker = sandboxChecker(parts());
  const check = async () => {
    const subject = { ...subjectOf(row), ...(await mailWritten(api.deps.pool, row.id)) };
    return checker.records(subject, Date.now(), signal);
  };
  expect((await check()).findings).toEqual([]);
  await api.deps.pool.query(sql.type(none)`DELETE FROM sandbox_records WHERE host = ${domain} AND type = 'MX'`);
  const { verdict, findings } = await check();

  expect(verdict).toBe('match');
  expect(findings).toMatchObject([{ code: 'mail_record_changed', severity: 'warning', record: { type: 'MX' } }]);
});

describe('POST /email/records', () => {
  const generate = (body: object) => user.call('POST', '/email/records', body);

  test('returns the records and merges the given SPF record, without a DNS query', async () => {
    const { status, body } = await generate({ domain: 'Shop-Site.COM.', provider: 'google', spf: 'v=spf1 mx -all' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider: 'google_workspace',
      domain: 'shop-site.com',
      spf_lookups: { count: 2, limit: 10, unread: [], followed: false },
    });
    expect((body['records'] as { value: string }[]).map(({ value }) => value)).toContain(
      'v=spf1 mx include:_spf.google.com -all',
    );
  });

  test('queries DNS with live: true, and counts lookups through includes', async () => {
    const domain = someDomain();
    await put(domain, 'TXT', 'v=spf1 include:one.test -all');
    await put('one.test', 'TXT', 'v=spf1 a mx include:two.test ~all');
    await put('two.test', 'TXT', 'v=spf1 ip4:192.0.2.1 ~all');
    const { body } = await generate({ domain, provider: 'google', live: true });
    expect(body['spf_lookups']).toEqual({ count: 5, limit: 10, unread: ['_spf.google.com'], followed: true });
  });

  test.each([
    { domain: 'shop-site.com', provider: 'pigeon' },
    { domain: 'not a domain', provider: 'google' },
    { domain: 'shop-site.com', provider: 'google', spf: 'all' },
    { domain: 'co.uk', provider: 'google' },
  ])('refuses %j', async (body) => {
    expect((await generate(body)).status).toBe(400);
  });
});
