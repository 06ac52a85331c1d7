import { getCredential } from '../../src/db/zone/credentials.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { UNOBSERVED_ZONE } from '../../src/domain/observation/delegation.ts';
import { createObserver } from '../../src/dns/observer.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { writeToZone } from '../../src/provisioning/write.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startHttpFront, type HttpFront } from '../support/proxies/http-front.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { startInternetLab } from '../support/fixtures/internet-lab.ts';

const { signal } = new AbortController();
let database: TestDatabase;
let pool: Pool;
let providerAccess: ProviderAccess;
let dns: PowerDnsApi;
let front: HttpFront;
let tenant: NewTenant;
let zones = 0;

beforeAll(async () => {
  dns = await startPowerDnsApi();
  front = await startHttpFront(dns.apiUrl);
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'zones' });
  providerAccess = testProviderAccess(pool);
});
beforeEach(async () => {
  front.refuse = undefined;
  tenant = await createTenant(pool, 'Zones');
});
afterAll(async () => {
  await providerAccess.http.close();
  await pool.end();
  await database.drop();
  await front.stop();
  await dns.stop();
});

const newZone = async (): Promise<string> => {
  const zone = `zone-${++zones}.com`;
  await dns.createZone(zone);
  return zone;
};
async function credentialAt(apiUrl: string) {
  const given = {
    tenantId: tenant.tenant_id,
    applicationId: tenant.test.application_id,
    provider: 'powerdns',
    credential: { api_url: apiUrl, api_key: dns.apiKey },
    label: null,
  };
  const health = await preflight(providerAccess, given);
  return pool.transaction((tx) => keepCredential(providerAccess, tx, given, health));
}
async function connect(hostname: string, access = providerAccess) {
  const row = await newConnection(pool, tenant, hostname);
  const record: DnsRecord = { host: hostname, type: 'A', value: '192.0.2.9', ttl: 300, priority: null };
  return {
    write: () => writeToZone(access, row, [record], { policy: 'refuse', now: new Date(), signal }),
    undo: (now = new Date()) => removeWritten(access, row.id, { now, signal }),
  };
}
const ours = async (zone: string) => (await dns.dump(zone)).filter((line) => line.includes('192.0.2.9'));

describe('a credential that one zone refuses', () => {
  const forbid = (zone: string) => {
    front.refuse = ({ method, path }) => (method === 'PATCH' && path.includes(zone) ? 403 : undefined);
  };

  test('stays valid for other zones, and is not tried again in this zone', async () => {
    const [forbidden, allowed] = [await newZone(), await newZone()];
    const { id } = await credentialAt(front.url);
    forbid(forbidden);
    expect(await (await connect(`shop.${forbidden}`)).write()).toMatchObject({
      outcome: 'refused',
      errorCode: 'credential_missing_zone',
      sentence: expect.stringContaining(forbidden) as string,
      credentialId: id,
    });
    expect(await getCredential(pool, id)).toMatchObject({ status: 'ok' });
    expect(await (await connect(`shop.${allowed}`)).write()).toMatchObject({ outcome: 'written' });
    expect(await (await connect(`www.${forbidden}`)).write()).toEqual({ outcome: 'not_ours' });
  });

  test('is replaced by another credential that covers the zone', async () => {
    const zone = await newZone();
    const older = await credentialAt(dns.apiUrl);
    await credentialAt(front.url);
    forbid(zone);
    const connection = await connect(`shop.${zone}`);
    expect(await connection.write()).toMatchObject({ outcome: 'written', credentialId: older.id });
    expect(await ours(zone)).toHaveLength(1);
  });

  test('that wrote there before it lost access has its records removed by another credential', async () => {
    const zone = await newZone();
    await credentialAt(front.url);
    const connection = await connect(`shop.${zone}`);
    await connection.write();
    await credentialAt(dns.apiUrl);
    forbid(zone);
    expect(await connection.undo()).toEqual({ outcome: 'removed', values: 1 });
    expect(await ours(zone)).toEqual([]);
  });
});

test('a credential that the provider rejects becomes invalid, and another one is tried immediately', async () => {
  const zone = await newZone();
  const older = await credentialAt(dns.apiUrl);
  const { id } = await credentialAt(front.url);
  front.refuse = () => 401;
  expect(await (await connect(`shop.${zone}`)).write()).toMatchObject({
    outcome: 'written',
    credentialId: older.id,
  });
  expect(await getCredential(pool, id)).toMatchObject({ status: 'invalid' });
});

describe('a sub-zone that is created after we wrote', () => {
  test('does not prevent the removal of our record in the parent zone', async () => {
    const zone = await newZone();
    await credentialAt(dns.apiUrl);
    const connection = await connect(`shop.${zone}`);
    await connection.write();
    await dns.createZone(`shop.${zone}`);
    expect(await connection.undo()).toEqual({ outcome: 'removed', values: 1 });
    expect(await ours(zone)).toEqual([]);
  });

  test('gets its own record, and undo cleans both zones', async () => {
    const zone = await newZone();
    await credentialAt(dns.apiUrl);
    let live = zone;
    const observeZone = () => Promise.resolve({ ...UNOBSERVED_ZONE, name: live, registered: true });
    const connection = await connect(`shop.${zone}`, { ...providerAccess, observeZone });
    await connection.write();
    await dns.createZone(`shop.${zone}`);
    live = `shop.${zone}`;
    await connection.write();
    expect([await ours(zone), await ours(`shop.${zone}`)].map((lines) => lines.length)).toEqual([1, 1]);
    expect(await connection.undo()).toEqual({ outcome: 'removed', values: 2 });
    expect([...(await ours(zone)), ...(await ours(`shop.${zone}`))]).toEqual([]);
  });
});

test('an unanswered write is searched for during two minutes, and is removed when it lands', async () => {
  const zone = await newZone();
  await credentialAt(front.url);
  const connection = await connect(`shop.${zone}`);
  const { passOn } = front.holdWrites();
  expect(await connection.write()).toMatchObject({ outcome: 'later' });
  expect(await connection.undo()).toMatchObject({ outcome: 'later' });
  await passOn();
  expect(await ours(zone)).toHaveLength(1);
  expect(await connection.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await ours(zone)).toEqual([]);
});

test('a hostname below a delegation is not written into the parent zone, and the message names its zone', async () => {
  const internet = await startInternetLab();
  const resolvers = [`${internet.recursor.address}:${internet.recursor.port}`];
  const observer = createObserver({
    resolvers,
    authoritativePort: Number(internet.env['DNS_AUTHORITATIVE_PORT']),
    allowPrivate: true,
  });
  try {
    const domain = await internet.domain();
    await internet.powerdns.zone(`shop.${domain}`, ['ns1.dns-host.com']);
    await internet.powerdns.set(domain, `shop.${domain}`, 'NS', 'ns1.dns-host.com.');
    await dns.createZone(domain);
    await credentialAt(dns.apiUrl);
    const access: ProviderAccess = { ...providerAccess, observeZone: (name, stop) => observer.observeZone(name, stop) };
    expect(await (await connect(`www.shop.${domain}`, access)).write()).toMatchObject({
      outcome: 'refused',
      errorCode: 'credential_missing_zone',
      sentence: expect.stringContaining(`lies in the zone shop.${domain}`) as string,
    });
    expect(await ours(domain)).toEqual([]);
    expect(await (await connect(`www.${domain}`, access)).write()).toMatchObject({ outcome: 'written' });
  } finally {
    await observer.close();
    await internet.stop();
  }
});
