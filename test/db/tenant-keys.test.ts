import { z } from 'zod';
import { asTenant, createPool, none, sql } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const Reference = z.object({ child: z.string(), parent: z.string(), columns: z.array(z.string()) });

test('every reference between a tenant’s rows includes the tenant id, so both rows belong to the same tenant', async () => {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 1, name: 'test' });
  const references = await pool.any(sql.type(Reference)`
    SELECT child.relname AS child, parent.relname AS parent,
      (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
       WHERE attrelid = child.oid AND attnum = ANY (conkey)) AS columns
    FROM pg_constraint
      JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
      JOIN pg_namespace ON pg_namespace.oid = child.relnamespace AND nspname = 'public'
    WHERE contype = 'f'
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = child.oid AND attname = 'tenant_id')
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = parent.oid AND attname = 'tenant_id')
    ORDER BY child, parent
  `);
  await pool.end();
  await database.drop();

  expect(references.length).toBeGreaterThan(10);
  expect(references.filter(({ columns }) => !columns.includes('tenant_id'))).toEqual([]);
});

test('SQL that runs for one tenant cannot attach a row to another tenant’s connection', async () => {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 1, name: 'test' });
  const [own, other] = [await createTenant(pool, 'Own'), await createTenant(pool, 'Other')];
  const theirs = await newConnection(pool, other, 'shop.other-site.com');
  const attach = (tenantId: string) =>
    asTenant(pool, tenantId, (tx) =>
      tx.query(sql.type(none)`
        INSERT INTO touches (connection_id, tenant_id, touched_at) VALUES (${theirs.id}, ${tenantId}, now())
        ON CONFLICT (connection_id) DO NOTHING
      `),
    );

  await expect(attach(own.tenant_id)).rejects.toThrow(/foreign key/);
  await attach(other.tenant_id);
  await pool.end();
  await database.drop();
});
