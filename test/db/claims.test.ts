import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { createActivities } from '../../activities/index.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { StepSemaphore } from '../../src/net/step-semaphore.ts';
import { noCertificate } from '../../src/domain/certificate/certificate.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { Checker } from '../../src/domain/observation/check.ts';
import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { noOrdering } from '../support/fixtures/ordering.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const always: Checker = {
  paceOf: () => REAL_PACE,
  challenge: (subject) =>
    Promise.resolve({
      verdict: 'match',
      sentence: 'There.',
      findings: [],
      providers: null,
      nameservers: null,
      evidence: null,
      observed: [subject.challenge.value],
    }),
  cname: () =>
    Promise.resolve({
      verdict: 'match',
      isGone: false,
      sentence: 'There.',
      findings: [],
      providers: null,
      nameservers: null,
      evidence: null,
      observed: [],
    }),
  records: () =>
    Promise.resolve({
      verdict: 'match',
      sentence: 'There.',
      findings: [],
      providers: null,
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
      awaitChallenge: () => Promise.resolve(false),
      turns: new StepSemaphore(),
      lookupFor: () => () => Promise.resolve({ values: [], cause: null }),
      certificatesFor: () => noCertificate,
      cnameProof: true,
      ordering: noOrdering(pool, testProviderAccess(pool)),
      probes: { edge: null, dial: { allowed: [] }, edgeHosts: [] },
      random: () => 0.5,
      recordLive: () => undefined,
      recordCheck: () => undefined,
    });
  const check = (id: string, now = Date.now()) =>
    new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: now })
      .run(activities().lookForChallenge, id, false)
      .catch(() => undefined);
  const holders = (hostname: string) =>
    pool.oneFirst(sql.type(z.object({ n: z.number() }))`
      SELECT count(*) AS n FROM connections WHERE hostname = ${hostname} AND state = 'verified'
    `);

  test('raced for by two tenants 200 times is claimed exactly once each time, and the loser gets the reason', async () => {
    for (let race = 0; race < 200; race++) {
      const hostname = `race-${race}.example-customer.com`;
      const rows = await Promise.all(tenants.map((tenant) => create(tenant, hostname)));
      await Promise.all(rows.map(({ id }) => check(id)));
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
      await Promise.all([check(row.id), archive(), archive()]);
      expect(await getConnection(pool, row.id)).toMatchObject({ state: 'archived' });
      expect(await holders(row.hostname)).toBe(0);
      const archives = await pool.oneFirst(sql.type(z.object({ n: z.number() }))`
        SELECT count(*) AS n FROM timeline WHERE connection_id = ${row.id} AND to_state = 'archived'
      `);
      expect(archives).toBe(1);
    }
  });

  const DAY = 86_400_000;
  /** Creates a connection that went live and drifted this long ago. */
  async function drifted(hostname: string, forMs: number, unaskedMs = 0): Promise<ConnectionRow> {
    const row = await create(tenants[0]!, hostname);
    await check(row.id);
    await pool.query(sql.type(z.object({}))`
      UPDATE connections SET state = 'drifted', version = version + 1, unasked_ms = ${unaskedMs},
        phase_started_at = ${sql.timestamp(new Date(Date.now() - forMs))} WHERE id = ${row.id}
    `);
    return row;
  }
  const stateOf = async (id: string) => {
    const row = await getConnection(pool, id);
    return [row?.state, row?.error_code];
  };
  const eventsOf = (id: string) =>
    pool.anyFirst(sql.type(z.object({ type: z.string() }))`
      SELECT type FROM events WHERE connection_id = ${id} ORDER BY sequence
    `);

  test('that drifted for seven days moves to the next tenant that verifies it, in one transaction that notifies the loser', async () => {
    const loser = await drifted('sold.example-customer.com', 7 * DAY);
    const winner = await create(tenants[1]!, loser.hostname);
    await check(winner.id);

    expect(await stateOf(winner.id)).toEqual(['verified', null]);
    expect(await stateOf(loser.id)).toEqual(['failed', 'claim_lost']);
    expect(await eventsOf(loser.id)).toEqual(['domain.added', 'domain.verified', 'domain.claim_lost']);
    expect(await getConnection(pool, loser.id)).toMatchObject({
      next_check_at: null,
      findings: [{ code: 'hostname_conflict', severity: 'error' }],
    });
    const standing = await pool.one(sql.type(z.object({ standing: z.string(), connection_id: z.string() }))`
      SELECT standing, connection_id FROM admissions WHERE hostname = ${loser.hostname}
    `);
    expect(standing).toEqual({ standing: 'held', connection_id: winner.id });
  });

  test.each([
    ['for less than seven days', 7 * DAY - 60_000, 0],
    ['for ten days in four of which no server could be asked', 10 * DAY, 4 * DAY],
  ])('that drifted %s keeps its claim against another tenant’s verification', async (_, forMs, unaskedMs) => {
    const holder = await drifted(`kept-${forMs}.example-customer.com`, forMs, unaskedMs);
    const other = await create(tenants[1]!, holder.hostname);
    await check(other.id);

    expect(await stateOf(holder.id)).toEqual(['drifted', null]);
    expect(await stateOf(other.id)).toEqual(['pending_ownership', 'hostname_conflict']);
  });

  test('that drifted for seven days and is verified by twenty tenants at the same time moves to exactly one', async () => {
    const loser = await drifted('wanted.example-customer.com', 8 * DAY);
    const others = await Promise.all(
      Array.from({ length: 20 }, async () => create(await createTenant(pool, 'Bidder'), loser.hostname)),
    );
    await Promise.all(others.map(({ id }) => check(id)));

    expect(await holders(loser.hostname)).toBe(1);
    expect(await eventsOf(loser.id)).toEqual(['domain.added', 'domain.verified', 'domain.claim_lost']);
  });

  /** Creates a live connection, proved now, whose registry has this answer. */
  async function liveWith({
    registeredDays = -900,
    missingDays = 0,
    state = 'live',
  }: {
    registeredDays?: number;
    missingDays?: number;
    state?: string;
  }): Promise<ConnectionRow> {
    const domain = `${crypto.randomUUID()}.com`;
    const row = await create(tenants[0]!, `www.${domain}`);
    await check(row.id);
    const registered = sql.timestamp(new Date(Date.now() + registeredDays * DAY));
    await pool.query(sql.type(z.object({}))`
      INSERT INTO registrations (domain, state, registered_at, missing_days, answered_at, next_check_at)
      VALUES (${domain}, 'found', ${registered}, ${missingDays}, now(), now())
    `);
    await pool.query(sql.type(z.object({}))`
      UPDATE connections SET state = ${state}, version = version + 1, registered_domain = ${domain} WHERE id = ${row.id}
    `);
    return row;
  }

  test.each([
    ['was registered anew after its proof', { registeredDays: 1 }],
    ['has been gone for seven days', { missingDays: 7 }],
  ])('whose domain %s moves from its serving connection to the tenant that proves it', async (_, registration) => {
    const loser = await liveWith(registration);
    const winner = await create(tenants[1]!, loser.hostname);
    await check(winner.id);

    expect(await stateOf(winner.id)).toEqual(['verified', null]);
    expect(await stateOf(loser.id)).toEqual(['failed', 'claim_lost']);
    expect(await eventsOf(loser.id)).toEqual(['domain.added', 'domain.verified', 'domain.claim_lost']);
    const sentence = `The domain of ${loser.hostname} is gone or was registered anew, and another connection has proved it.`;
    expect((await getConnection(pool, loser.id))?.findings).toMatchObject([{ message: sentence }]);
  });

  test.each([
    ['was registered before its proof', { registeredDays: -1 }],
    ['has been gone for six days', { missingDays: 6 }],
    ['was registered anew, while it does not serve yet', { registeredDays: 1, state: 'propagating' }],
  ])('whose domain %s keeps its claim', async (_, registration) => {
    const holder = await liveWith(registration);
    const other = await create(tenants[1]!, holder.hostname);
    await check(other.id);

    expect((await stateOf(holder.id))[0]).toBe('state' in registration ? 'propagating' : 'live');
    expect(await stateOf(other.id)).toEqual(['pending_ownership', 'hostname_conflict']);
  });

  test('that is proved again after its domain was registered anew keeps its claim from then on', async () => {
    const row = await liveWith({ registeredDays: -0.5 });
    await pool.query(sql.type(z.object({}))`
      UPDATE connections SET proved_at = now() - interval '1 day', state = 'verifying', version = version + 1 WHERE id = ${row.id}
    `);
    await check(row.id);
    await pool.query(sql.type(z.object({}))`UPDATE connections SET state = 'live' WHERE id = ${row.id}`);
    const other = await create(tenants[1]!, row.hostname);
    await check(other.id);
    expect(await stateOf(other.id)).toEqual(['pending_ownership', 'hostname_conflict']);
  });

  test('can be claimed again after archive, with a new token', async () => {
    const first = await create(tenants[0]!, 'again.example-customer.com');
    await check(first.id);
    await pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, first.id))!, new Date()));
    const second = await create(tenants[1]!, 'again.example-customer.com');
    expect(second.challenge_token).not.toBe(first.challenge_token);
    await check(second.id);
    expect((await getConnection(pool, second.id))?.state).toBe('verified');
  });
});
