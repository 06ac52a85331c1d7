import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { challengeOf } from '../../src/db/observation/subject.ts';
import { coveringCredential } from '../../src/db/zone/credentials.ts';
import { ledgerOf, ownedValues } from '../../src/db/zone/ledger.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { NO_WILDCARD } from '../../src/domain/observation/wildcard.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import type { Account } from '../../src/providers/contract.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { openWith, type ProviderAccess } from '../../src/provisioning/account.ts';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { keepWildcardAnswers } from '../../src/provisioning/wildcard.ts';
import { writeToZone } from '../../src/provisioning/write.ts';
import { doubledSlugs, startDoubleOf } from '../providers/every-double.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { afterArrivals } from '../support/fixtures/history-subject.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { SERVERS, startWildcardLab, type ServedDomain, type WildcardLab } from '../support/fixtures/wildcard-lab.ts';
import { source, startScript } from '../support/node-script.ts';
import { startHttpFront } from '../support/proxies/http-front.ts';
import { until } from '../support/until.ts';
import { watchAnswers } from '../support/watch-answers.ts';

const { signal } = new AbortController();
const VAULT_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
let lab: WildcardLab;
let database: TestDatabase;
let pool: Pool;
/** Queries the DNS of the lab. */
let observing: ProviderAccess;
/** Queries no DNS, like a service whose queries all fail. */
let blind: ProviderAccess;
let tenant: NewTenant;

beforeAll(async () => {
  lab = await startWildcardLab();
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'wildcards' });
  blind = testProviderAccess(pool, VAULT_KEY);
  const { observer } = lab;
  observing = { ...blind, observeWildcard: (name, stop) => observer.observeWildcard(name, stop) };
});
beforeEach(async () => (tenant = await createTenant(pool, 'Wildcards')));
afterAll(async () => {
  await blind.http.close();
  await pool.end();
  await database.drop();
  await lab.stop();
});

const options = () => ({ policy: 'refuse', now: new Date(), signal }) as const;
const pointer = (host: string): DnsRecord => ({
  host,
  type: 'CNAME',
  value: 'edge.example.net',
  ttl: 60,
  priority: null,
});

/** Gives the application a credential like the API, and creates a connection. */
async function connect(
  access: ProviderAccess,
  hostname: string,
  { provider, credential }: Pick<ServedDomain, 'provider' | 'credential'>,
): Promise<ConnectionRow> {
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider, credential };
  const health = await preflight(access, given);
  await pool.transaction((tx) => keepCredential(access, tx, { ...given, label: null }, health));
  return newConnection(pool, tenant, hostname);
}

const standing = async ({ id }: ConnectionRow) =>
  (await ownedValues(pool, id)).map(
    ({ host, type, value, ttl, status }) => `${host} ${ttl} ${type} ${value} ${status}`,
  );

describe.each(SERVERS)('a hostname that only a wildcard answers for, on %s', (server) => {
  test('answers all the time while its challenge and its pointer are written, and the undo restores the zone', async () => {
    const domain = await lab.domain(server);
    const shop = `shop.${domain.name}`;
    await domain.set(`*.${domain.name}`, 'A', '192.0.2.1');
    await domain.set(`*.${domain.name}`, 'MX', '10 mail.example.net.');
    const before = await domain.dump();
    const row = await connect(observing, shop, domain);
    const visits = watchAnswers(() => domain.ask(shop, 'A'));

    expect(await writeToZone(observing, row, [challengeOf(row)], options())).toMatchObject({ outcome: 'written' });
    expect(await domain.ask(shop, 'MX')).toEqual(['mail.example.net']);
    expect(await standing(row)).toEqual([
      `${shop} 60 A 192.0.2.1 standing`,
      `${shop} 60 MX mail.example.net standing`,
      `${challengeOf(row).host} 300 TXT ${row.challenge_token} standing`,
    ]);
    const written = await domain.dump();
    expect(await writeToZone(observing, row, [challengeOf(row)], options())).toMatchObject({ outcome: 'written' });
    expect(await domain.dump()).toEqual(written);

    expect(await writeToZone(observing, row, [pointer(shop)], options())).toMatchObject({ outcome: 'written' });
    expect(await domain.ask(shop, 'A')).toEqual(['edge.example.net']);
    expect(await removeWritten(observing, row.id, { now: new Date(), signal })).toMatchObject({ outcome: 'removed' });
    await until(async () => String(await domain.ask(shop, 'A')) === '192.0.2.1');

    expect(await visits.stop()).toEqual(['192.0.2.1', 'edge.example.net', '192.0.2.1']);
    expect(await domain.dump()).toEqual(before);
  });

  test('and that lies several levels below the wildcard takes no other hostname with it', async () => {
    const domain = await lab.domain(server);
    const shop = `shop.${domain.name}`;
    await domain.set(`*.${domain.name}`, 'CNAME', 'old-host.example.net.');
    const before = await domain.dump();
    const row = await connect(observing, `www.${shop}`, domain);
    const names = [`www.${shop}`, shop, `blog.${shop}`, `blog.${domain.name}`];
    const answers = () => Promise.all(names.map((name) => domain.ask(name, 'A')));

    await writeToZone(observing, row, [challengeOf(row)], options());
    expect(await answers()).toEqual(names.map(() => ['old-host.example.net']));
    await writeToZone(observing, row, [pointer(`www.${shop}`)], options());
    expect(await answers()).toEqual(names.map((_, i) => [i === 0 ? 'edge.example.net' : 'old-host.example.net']));

    await removeWritten(observing, row.id, { now: new Date(), signal });
    expect(await domain.dump()).toEqual(before);
  });

  test('and that exists because of a name below it gets no copies', async () => {
    const domain = await lab.domain(server);
    const shop = `shop.${domain.name}`;
    await domain.set(`*.${domain.name}`, 'A', '192.0.2.1');
    await domain.set(`mail.${shop}`, 'A', '192.0.2.2');
    const row = await connect(observing, shop, domain);

    await writeToZone(observing, row, [challengeOf(row)], options());
    expect(await standing(row)).toHaveLength(1);
    expect(await domain.ask(shop, 'A')).toEqual([]);
  });
});

test('a process that is killed between the two writes leaves a hostname that answers, and the next attempt finishes', async () => {
  const domain = await lab.domain('PowerDNS');
  const shop = `shop.${domain.name}`;
  await domain.set(`*.${domain.name}`, 'A', '192.0.2.1');
  const front = await startHttpFront(domain.credential['api_url']!);
  const credential = { ...domain.credential, api_url: front.url };
  const row = await connect(blind, shop, { provider: 'powerdns', credential });
  const visits = watchAnswers(() => domain.ask(shop, 'A'));

  let isWritten = false;
  front.refuse = ({ method }) => {
    // The answer to the reading after the first write is the last one.
    if (method === 'PATCH') isWritten = true;
    else if (isWritten) front.stayingSilent = true;
    return undefined;
  };
  const script = startScript(`
    import { createPool } from '${source('db/pool.ts')}';
    import { getConnection } from '${source('db/connection/connections.ts')}';
    import { challengeOf } from '${source('db/observation/subject.ts')}';
    import { writeToZone } from '${source('provisioning/write.ts')}';
    import { testProviderAccess } from '${source('../test/support/fixtures/provider-access.ts')}';
    const pool = await createPool('${database.url}', { max: 4, name: 'killed' });
    const row = await getConnection(pool, '${row.id}');
    const options = { policy: 'refuse', now: new Date(), signal: new AbortController().signal };
    await writeToZone(testProviderAccess(pool, '${VAULT_KEY}'), row, [challengeOf(row)], options);
  `);
  await until(async () => (await standing(row)).includes(`${shop} 60 A 192.0.2.1 standing`));
  process.kill(script.pid, 'SIGKILL');
  await script.exited;
  expect((await domain.dump()).filter((line) => line.includes(row.challenge_token))).toEqual([]);

  Object.assign(front, { stayingSilent: false, refuse: undefined });
  await pool.query(sql.type(none)`UPDATE zone_leases SET expires_at = now() - interval '1 second'`);
  expect(await writeToZone(observing, row, [challengeOf(row)], options())).toMatchObject({ outcome: 'written' });
  expect(await standing(row)).toHaveLength(2);
  expect(await visits.stop()).toEqual(['192.0.2.1']);
  await front.stop();
});

test('a provider that has added only some of the copies gets the others with the next attempt', async () => {
  const domain = await lab.domain('PowerDNS');
  const shop = `shop.${domain.name}`;
  await domain.set(`*.${domain.name}`, 'A', '192.0.2.1');
  await domain.set(`*.${domain.name}`, 'AAAA', '2001:db8::1');
  const row = await connect(blind, shop, domain);
  const given = { tenantId: tenant.tenant_id, provider: 'powerdns', credential: domain.credential };
  const account = openWith(blind, given);
  const halfway: Account = {
    ...account,
    async apply(zone, change, call) {
      if (!('decide' in change)) throw new Error('Provisioning decides from the records that exist.');
      const wanted = (await change.decide(await account.records(zone, change.hosts, call)))!;
      await account.apply(zone, { ...wanted, add: wanted.add.slice(0, 1) }, call);
      throw new ProviderError('transient', 'It stopped halfway.', { mayHaveChanged: true });
    },
  };
  const target = {
    zone: (await account.findZone(shop))!,
    row,
    desired: [challengeOf(row)],
    policy: 'refuse' as const,
    purpose: 'connection' as const,
    credential: (await coveringCredential(pool, row.application_id, shop))!,
    now: new Date(),
    signal,
  };

  await expect(keepWildcardAnswers(blind, ledgerOf(pool, row), halfway, target)).rejects.toThrow('halfway');
  expect(await Promise.all([domain.ask(shop, 'A'), domain.ask(shop, 'AAAA')])).toContainEqual([]);
  // DNS now shows that the hostname exists.
  const seeing = { ...blind, observeWildcard: () => Promise.resolve(NO_WILDCARD) };
  await keepWildcardAnswers(seeing, ledgerOf(pool, row), account, target);
  expect(await domain.ask(shop, 'A')).toEqual(['192.0.2.1']);
  expect(await domain.ask(shop, 'AAAA')).toEqual(['2001:db8::1']);
});

/** Connects a hostname below a wildcard at a provider's double, and disconnects it. */
async function connectAtDouble(slug: string): Promise<void> {
  const double = await startDoubleOf(slug);
  const http = providerHttp();
  try {
    const urls = new Map([[slug, double.url], ...(double.tokenUrl === undefined ? [] : [[`${slug}_token`, double.tokenUrl] as const])]); // prettier-ignore
    const access = { ...blind, http, baseUrls: urls };
    const zone = `${slug.replaceAll('_', '-')}-zone.com`;
    double.addZone(zone, [{ name: '*', type: 'A', ttl: 3600, rdata: '192.0.2.1' }]);
    const before = double.dump(zone);
    const row = await connect(access, `shop.${zone}`, { provider: slug, credential: double.credential });

    expect(await writeToZone(access, row, [challengeOf(row)], options())).toMatchObject({ outcome: 'written' });
    expect(await standing(row)).toContain(`shop.${zone} 3600 A 192.0.2.1 standing`);
    expect(double.dump(zone)).toHaveLength(before.length + 2);
    expect(double.dump(zone)).toEqual(expect.arrayContaining(before));

    await removeWritten(access, row.id, { now: afterArrivals(), signal });
    expect(double.dump(zone)).toEqual(before);
  } finally {
    await http.close();
    await double.stop();
  }
}

test('every provider gets a copy at the hostname with the TTL of the wildcard, and the undo restores its zone', async () => {
  const results = await Promise.allSettled(doubledSlugs.map(connectAtDouble));
  const failed = results.map((result, i) => [
    doubledSlugs[i],
    result.status === 'rejected' ? String(result.reason) : '',
  ]);
  expect(failed.filter(([, reason]) => reason !== '')).toEqual([]);
});
