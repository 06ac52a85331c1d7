import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { createActivities } from '../../activities/index.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connections.ts';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { noCertificate } from '../../src/domain/certificate.ts';
import { createTenant, type NewTenant } from '../../src/db/tenants.ts';
import type { Checker } from '../../src/domain/check.ts';
import { REAL_PACE } from '../../src/domain/schedule.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testProviderAccess } from '../support/provider-access.ts';
import { newConnection } from '../support/new-connection.ts';

const always: Checker = {
  pace: REAL_PACE,
  challenge: (subject) =>
    Promise.resolve({
      verdict: 'match',
      sentence: 'There.',
      findings: [],
      provider: null,
      nameservers: null,
      evidence: null,
      observed: [subject.challenge.value],
    }),
  records: () =>
    Promise.resolve({
      verdict: 'match',
      sentence: 'There.',
      findings: [],
      provider: null,
      nameservers: null,
      evidence: null,
      records: [],
    }),
};

describe('a hostname', () => {
  let database: TestDatabase;
  let pool: Pool;
  let tenants: NewTenant[];
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = await createPool(database.url, { max: 20, name: 'claims' });
    tenants = [await createTenant(pool, 'One'), await createTenant(pool, 'Two')];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const create = (tenant: NewTenant, hostname: string) => newConnection(pool, tenant, hostname);
  const activities = () =>
    createActivities({
      pool,
      providerAccess: testProviderAccess(pool),
      checkerFor: () => always,
      certificatesFor: () => noCertificate,
      random: () => 0.5,
      noteLook: () => undefined,
    });
  const look = (id: string) =>
    new MockActivityEnvironment().run(activities().lookForChallenge, id, false).catch(() => undefined);
  const holders = (hostname: string) =>
    pool.oneFirst(sql.type(z.object({ n: z.number() }))`
      SELECT count(*) AS n FROM connections WHERE hostname = ${hostname} AND state = 'verified'
    `);

  test('raced for by two tenants 200 times is claimed exactly once each time, and the loser is told why', async () => {
    for (let race = 0; race < 200; race++) {
      const hostname = `race-${race}.example-customer.com`;
      const rows = await Promise.all(tenants.map((tenant) => create(tenant, hostname)));
      await Promise.all(rows.map(({ id }) => look(id)));
      expect(await holders(hostname)).toBe(1);
      const after = await Promise.all(rows.map(({ id }) => getConnection(pool, id)));
      const loser = after.find((row) => row?.state !== 'verified');
      expect(loser).toMatchObject({ state: 'pending_ownership', error_code: 'hostname_conflict' });
    }
  });

  test('archived while it is being verified, 200 times, is never both claimed and archived', async () => {
    for (let race = 0; race < 200; race++) {
      const row = await create(tenants[0]!, `archive-${race}.example-customer.com`);
      const archive = () =>
        pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, row.id))!, new Date()));
      await Promise.all([look(row.id), archive(), archive()]);
      expect(await getConnection(pool, row.id)).toMatchObject({ state: 'archived' });
      expect(await holders(row.hostname)).toBe(0);
      const archives = await pool.oneFirst(sql.type(z.object({ n: z.number() }))`
        SELECT count(*) AS n FROM timeline WHERE connection_id = ${row.id} AND to_state = 'archived'
      `);
      expect(archives).toBe(1);
    }
  });

  test('is free again after archive, for a proof with a new token', async () => {
    const first = await create(tenants[0]!, 'again.example-customer.com');
    await look(first.id);
    await pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, first.id))!, new Date()));
    const second = await create(tenants[1]!, 'again.example-customer.com');
    expect(second.challenge_token).not.toBe(first.challenge_token);
    await look(second.id);
    expect((await getConnection(pool, second.id))?.state).toBe('verified');
  });
});
