import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { getCredential } from '../../src/db/zone/credentials.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { checkCredentials } from '../../src/provisioning/health.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'health' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('a credential whose vault key is lost does not stop the checks of other credentials', async () => {
  const [providerAccess, lost] = [testProviderAccess(pool), testProviderAccess(pool)];
  const { tenant_id, test: application } = await createTenant(pool, 'Health');
  const keep = (at: typeof providerAccess, zone: string) => {
    const given = { tenantId: tenant_id, applicationId: application.application_id, provider: 'sandbox', label: null };
    const unseen = { status: 'unverified', reason: null, zones: null } as const;
    return keepCredential(at, pool, { ...given, credential: { zone } }, unseen);
  };
  await keep(lost, 'first.test');
  const { id } = await keep(providerAccess, 'second.test');
  await pool.query(sql.type(none)`UPDATE credentials SET created_at = now() - interval '2 days'`);
  await expect(checkCredentials(providerAccess)).rejects.toThrow(AggregateError);
  expect(await getCredential(pool, id)).toMatchObject({ status: 'ok', zones: ['second.test'] });
  await Promise.all([providerAccess, lost].map(({ http }) => http.close()));
});
