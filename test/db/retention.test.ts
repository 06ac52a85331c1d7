import { z } from 'zod';
import { enrolDomains } from '../../src/db/connection/registrations.ts';
import { takeDuty } from '../../src/db/duties.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { deleteExpired } from '../../src/db/retention.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'retention' });
  tenant = await createTenant(pool, 'Retention');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const left = (table: string) =>
  pool.oneFirst(sql.type(z.object({ rows: z.number() }))`SELECT count(*) AS rows FROM ${sql.identifier([table])}`);

test('expired rows are deleted, even more than one statement handles, and all other rows stay', async () => {
  const { id } = await newConnection(pool, tenant, 'kept.example-shop.com');
  const before = await left('timeline');
  await pool.query(sql.type(none)`
    INSERT INTO certificate_orders (id, hostname, registered_domain, account, ordered_at, outcome)
    SELECT gen_random_uuid(), 'kept.example-shop.com', 'example-shop.com', 'a', now() - n * interval '1 day', 'issued'
    FROM generate_series(1, 12000) AS n
  `);
  await pool.query(sql.type(none)`
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state)
    SELECT ${tenant.tenant_id}, ${id}, now() - n * interval '1 year', 'move', 'live', 'drifted' FROM generate_series(1, 4) AS n
  `);
  await pool.query(sql.type(none)`
    INSERT INTO dns_ledger (
      id, tenant_id, connection_id, credential_id, provider, zone_id, zone_name, host, type, value, ttl, purpose, status, at)
    SELECT gen_random_uuid(), ${tenant.tenant_id}, ${id}, gen_random_uuid(), 'powerdns', 'z', 'example-shop.com',
      'kept.example-shop.com', 'TXT', status, 300, 'connection', status, now() - interval '1 year'
    FROM unnest(ARRAY['intended', 'standing', 'removed', 'surrendered']) AS status
  `);
  await deleteExpired(pool);
  expect(await Promise.all(['certificate_orders', 'timeline', 'dns_ledger'].map(left))).toEqual([89, before + 1, 2]);
});

test('hostnames archived long ago leave the table that every edge copies, and others stay', async () => {
  for (const [hostname, state, days] of [
    ['old.example-shop.com', 'archived', 100],
    ['fresh.example-shop.com', 'archived', 10],
    ['serving.example-shop.com', 'live', 100],
  ] as const) {
    const { id } = await newConnection(pool, tenant, hostname);
    await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);
    await pool.query(sql.type(none)`
      UPDATE connections SET state = ${state}, archived_at = now() - ${days} * interval '1 day' WHERE id = ${id}
    `);
  }
  await deleteExpired(pool);
  const names = await pool.anyFirst(sql.type(z.object({ hostname: z.string() }))`SELECT hostname FROM admissions`);
  expect(names.toSorted()).toEqual(['fresh.example-shop.com', 'serving.example-shop.com']);
});

test('a registration whose check is long overdue is deleted, and its connection is enrolled anew when checks resume', async () => {
  const { id } = await newConnection(pool, tenant, 'www.example-registered.com');
  await pool.query(sql.type(none)`
    INSERT INTO registrations (domain, missing_days, next_check_at)
    VALUES ('example-registered.com', 7, now() - interval '31 days'), ('example-kept.com', 0, now() - interval '29 days')
  `);
  await pool.query(sql.type(none)`
    UPDATE connections SET state = 'live', registered_domain = 'example-registered.com' WHERE id = ${id}
  `);
  await deleteExpired(pool);
  const domains = await pool.anyFirst(sql.type(z.object({ domain: z.string() }))`SELECT domain FROM registrations`);
  expect(domains).toEqual(['example-kept.com']);
  expect(
    await enrolDomains(
      pool,
      () => 'example-registered.com',
      () => null,
      new Date(),
    ),
  ).toBeGreaterThanOrEqual(1);
});

test('keys of imported certificates are deleted 14 days after the import if the hostname is not proved, and a day after they end', async () => {
  for (const [hostname, state, importedDays, endsInDays, source] of [
    ['unproved.example-shop.com', 'pending_ownership', 15, 60, 'edge'],
    ['failed.example-shop.com', 'failed', 15, 60, 'edge'],
    ['new.example-shop.com', 'pending_ownership', 13, 60, 'edge'],
    ['proved.example-shop.com', 'live', 15, 60, 'edge'],
    ['ended.example-shop.com', 'live', 15, -2, 'edge'],
    ['upload.example-shop.com', 'pending_ownership', 15, 60, 'uploaded'],
  ] as const) {
    const { id } = await newConnection(pool, tenant, hostname);
    await pool.query(sql.type(none)`UPDATE connections SET state = ${state} WHERE id = ${id}`);
    await pool.query(sql.type(none)`
      INSERT INTO certificates (id, tenant_id, connection_id, source, chain, names, serial, ca, not_before, not_after,
        key_id, wrapped_key, ciphertext, created_at)
      VALUES (gen_random_uuid(), ${tenant.tenant_id}, ${id}, ${source}, '', '{}', ${hostname}, '', now(),
        now() + ${endsInDays} * interval '1 day', 'k', '', '', now() - ${importedDays} * interval '1 day')
    `);
  }
  await deleteExpired(pool);
  const kept = await pool.anyFirst(sql.type(z.object({ serial: z.string() }))`SELECT serial FROM certificates`);
  expect(kept.toSorted()).toEqual(['new.example-shop.com', 'proved.example-shop.com', 'upload.example-shop.com']);
});

test('only one of many processes gets a duty, and no process gets it again before it is due', async () => {
  const asked = await Promise.all(Array.from({ length: 8 }, () => takeDuty(pool, 'sweep', 60_000)));
  expect(asked.filter(Boolean)).toHaveLength(1);
  await pool.query(sql.type(none)`UPDATE duties SET taken_at = taken_at - interval '61 seconds'`);
  expect([await takeDuty(pool, 'sweep', 60_000), await takeDuty(pool, 'sweep', 60_000)]).toEqual([true, false]);
});
