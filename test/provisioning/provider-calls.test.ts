import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { challengeOf } from '../../src/db/observation/subject.ts';
import { NO_WILDCARD } from '../../src/domain/observation/wildcard.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { providerOf } from '../../src/providers/registry.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { openWith, type ProviderAccess } from '../../src/provisioning/account.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { healthOf } from '../../src/provisioning/health.ts';
import { writeToZone } from '../../src/provisioning/write.ts';
import { doubledSlugs, startDoubleOf } from '../providers/every-double.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { startDelayingProxy } from './delaying-proxy.ts';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 3, name: 'calls' });
  tenant = await createTenant(pool, 'Calls');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const options = () => ({ policy: 'refuse', now: new Date(), signal: new AbortController().signal }) as const;

const pointer = (host: string): DnsRecord => ({
  host,
  type: 'CNAME',
  value: 'edge.example.net',
  ttl: 3600,
  priority: null,
});

/** Adds a credential to the application like the API: it is tested against the provider first. */
async function giveCredential(providerAccess: ProviderAccess, provider: string, credential: Record<string, string>) {
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider, credential };
  const health = await healthOf(openWith(providerAccess, given), provider);
  await keepCredential(providerAccess, pool, { ...given, label: null }, health);
}

test('the automatic setup of a connection costs at most eight calls, at every provider', async () => {
  const seen: Record<string, number> = {};
  for (const slug of doubledSlugs) {
    const double = await startDoubleOf(slug);
    const calls: string[] = [];
    const http = providerHttp({ onCall: ({ method, path }) => calls.push(`${method} ${path}`) });
    const urls = new Map([[slug, double.url], ...(double.tokenUrl === undefined ? [] : [[`${slug}_token`, double.tokenUrl] as const])]); // prettier-ignore
    const observeWildcard = () => Promise.resolve(NO_WILDCARD);
    const providerAccess = { ...testProviderAccess(pool), http, baseUrls: urls, observeWildcard };
    const zone = `${slug.replaceAll('_', '-')}-zone.com`;
    double.addZone(zone, [{ name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' }]);
    await giveCredential(providerAccess, slug, double.credential);
    const row = await newConnection(pool, tenant, `shop.${zone}`);
    const before = double.dump(zone);
    calls.length = 0;

    expect(await writeToZone(providerAccess, row, [challengeOf(row)], options())).toMatchObject({
      outcome: 'written',
    });
    expect(await writeToZone(providerAccess, row, [pointer(row.hostname)], options())).toMatchObject({
      outcome: 'written',
    });

    expect(double.dump(zone)).toHaveLength(before.length + 2);
    seen[slug] = calls.filter((line) => !isUncounted(line)).length;
    await http.close();
    await double.stop();
  }
  console.info(`Calls for one connection: ${JSON.stringify(seen)}`);
  for (const [slug, count] of Object.entries(seen)) expect([slug, count <= 8]).toEqual([slug, true]);
});

/** Tokens, publish steps, polling and reads of single ids are not counted. */
const isUncounted = (line: string): boolean =>
  /^GET .*\/(changes\/\w+|record\/\d+|actions\/\d+)$|\/(token|refresh)$/.test(line);

test('a slow provider blocks no database connection while it is asked', async () => {
  // A provider that serializes its writers: writers that wait must not hold a connection either.
  const slug = doubledSlugs.find((one) => providerOf(one)?.descriptor.limits.concurrency === 'zone_lock')!;
  const double = await startDoubleOf(slug);
  const proxy = await startDelayingProxy(double.url, 150);
  const providerAccess = { ...testProviderAccess(pool), baseUrls: new Map([[slug, proxy.url]]) };
  double.addZone('slow-zone.com');
  await giveCredential(providerAccess, slug, double.credential);
  const rows = await Promise.all(
    Array.from({ length: 12 }, (_, i) => newConnection(pool, tenant, `shop${i}.slow-zone.com`)),
  );
  const progress = { isWriting: true };
  const writes = Promise.all(
    rows.map((row) => writeToZone(providerAccess, row, [pointer(row.hostname)], options())),
  ).finally(() => (progress.isWriting = false));
  let answered = 0;
  while (progress.isWriting) {
    await createOther(answered++);
  }
  expect((await writes).map(({ outcome }) => outcome)).toEqual(rows.map(() => 'written'));
  // Each of these inserts would have waited for a write if the writes had used up the pool.
  expect(answered).toBeGreaterThan(rows.length);
  await providerAccess.http.close();
  await proxy.stop();
  await double.stop();
});

const createOther = async (i: number): Promise<void> => {
  await newConnection(pool, tenant, `other${i}.nowhere.com`);
};
