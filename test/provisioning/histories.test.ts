import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { displacedLayers } from '../../src/db/displaced.ts';
import { coveringCredential } from '../../src/db/credentials.ts';
import { ownedValues } from '../../src/db/ledger.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { allRecordsAt, publish } from '../../src/db/sandbox-records.ts';
import { createTenant, type NewTenant } from '../../src/db/tenants.ts';
import type { ZoneRecord } from '../../src/domain/zone-record.ts';
import type { Account } from '../../src/providers/contract.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { openAccount, type ProviderAccess } from '../../src/provisioning/account.ts';
import { applyPlan } from '../../src/provisioning/apply.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { planFor } from '../../src/provisioning/plan.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { newConnection } from '../support/new-connection.ts';
import { testProviderAccess } from '../support/provider-access.ts';
import { histories, play, type Subject, type Write } from '../support/zone-history.ts';

const { signal } = new AbortController();
let database: TestDatabase;
let pool: Pool;
let providerAccess: ProviderAccess;
let tenant: NewTenant;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'histories' });
  providerAccess = testProviderAccess(pool);
  tenant = await createTenant(pool, 'Histories');
});
afterAll(async () => {
  await providerAccess.http.close();
  await pool.end();
  await database.drop();
});

/** The real provisioning over the sandbox's zone; only the answers of the provider are lost or withheld where a history says so. */
async function openSubject(zone: string): Promise<Subject> {
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider: 'sandbox' };
  const credential = { ...given, credential: { zone }, label: null };
  await keepCredential(providerAccess, pool, credential, { status: 'ok', reason: null, zones: [zone] });
  const row = await newConnection(pool, tenant, `shop.${zone}`);
  const hosts = [`shop.${zone}`, `www.${zone}`];

  const standing = async (): Promise<ZoneRecord[]> =>
    (await allRecordsAt(pool, tenant.tenant_id, hosts)).map((record) => ({
      ...record,
      id: null,
      readOnly: false,
      extra: null,
    }));

  async function write({ purpose, wish, policy, answer }: Write, meanwhile: () => Promise<void>): Promise<void> {
    if (wish.length === 0) return;
    const covering = (await coveringCredential(pool, row.application_id, row.hostname))!;
    const account = openAccount(providerAccess, covering);
    const found = (await account.findZone(row.hostname))!;
    const planned = await planFor(providerAccess, account, found, row, wish, { policy, purpose, signal });
    await meanwhile();
    if (planned.plan.conflicts.length > 0) return;
    const target = { row, credential: covering, zone: found, purpose, now: new Date(), signal };
    await applyPlan(providerAccess, answering(account, answer), target, planned).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
    });
  }

  return {
    zone: standing,
    async setZone(records) {
      await pool.query(sql.type(none)`
        DELETE FROM sandbox_records WHERE tenant_id = ${tenant.tenant_id} AND host = ANY(${sql.array(hosts, 'text')})
      `);
      for (const { host, type, value, ttl, priority } of records)
        if (type !== 'OTHER') await publish(pool, tenant.tenant_id, { host, type, value, ttl, priority }, new Date());
    },
    write,
    owned: () => ownedValues(pool, row.id),
    displaced: async () => (await displacedLayers(pool, row.id)).flatMap(({ records }) => records),
    async undo(purpose) {
      // A write whose answer was lost may land for two minutes; none does here.
      const now = new Date(Date.now() + 3 * 60_000);
      expect(await removeWritten(providerAccess, row.id, { purpose, now, signal })).toMatchObject({
        outcome: 'removed',
      });
      const left = (await ownedValues(pool, row.id)).filter((value) => value.purpose === purpose);
      expect(left).toEqual([]);
    },
  };
}

/** The account behind a provider that loses its answer, never acts, or refuses. */
const answering = (account: Account, answer: Write['answer']): Account => ({
  ...account,
  async apply(zone, change, call) {
    const silence = new ProviderError('transient', 'Sandbox: no answer.', { mayHaveChanged: true });
    if (answer === 'silent') throw silence;
    if (answer === 'refused') throw new ProviderError('validation', 'Sandbox: refused.');
    const applied = await account.apply(zone, change, call);
    if (answer === 'lost') throw silence;
    return applied;
  },
});

test('for real: whatever we write and whatever the owner does meanwhile, undo leaves the owner’s zone and an empty ledger', async () => {
  const inZone = (zone: string) => histories([`shop.${zone}`, `www.${zone}`]);
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const zone = `${randomUUID()}.test`;
      const [history] = fc.sample(inZone(zone), { seed, numRuns: 1 });
      await play(history!, await openSubject(zone));
    }),
    { numRuns: 150 },
  );
});
