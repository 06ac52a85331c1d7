import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { displacedLayers } from '../../src/db/zone/ledger.ts';
import { createPool, none, sql } from '../../src/db/pool.ts';
import { asSuperuser, databaseUrl } from '../support/fixtures/database.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** Returns a database as it was before migration 0007, and a function that applies the remaining migrations. */
async function beforeLayers() {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`CREATE DATABASE ${name}`);
  const url = databaseUrl(name);
  const files = (await readdir(MIGRATIONS)).sort();
  const run = async (wanted: (file: string) => boolean) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const file of files.filter(wanted)) await client.query(await readFile(join(MIGRATIONS, file), 'utf8'));
    await client.end();
  };
  await run((file) => file < '0007');
  return {
    url,
    migrate: () => run((file) => file.startsWith('0007')),
    drop: () => asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

test('displaced records become one layer for each name, newest first', async () => {
  const database = await beforeLayers();
  const pool = await createPool(database.url, { max: 2, name: 'migration' });
  try {
    const [tenant_id, application_id, id] = [randomUUID(), randomUUID(), randomUUID()];
    await pool.query(sql.type(none)`INSERT INTO tenants (id, name) VALUES (${tenant_id}, 'Migration')`);
    await pool.query(sql.type(none)`
      INSERT INTO applications (id, tenant_id, name, environment) VALUES (${application_id}, ${tenant_id}, 'Shop', 'test')
    `);
    await pool.query(sql.type(none)`
      INSERT INTO connections (
        id, tenant_id, application_id, environment, hostname, kind, state, challenge_token, desired_records)
      VALUES (${id}, ${tenant_id}, ${application_id}, 'test', 'shop.test', 'subdomain', 'live', 't', '[]')
    `);
    const record = (value: string) => ({
      host: 'shop.test',
      type: 'A',
      value,
      ttl: 300,
      priority: null,
      id: null,
      readOnly: false,
      extra: null,
    });
    const row = (value: string, status: string, minute: number, ...previous: ReturnType<typeof record>[]) =>
      pool.query(sql.type(none)`
        INSERT INTO dns_ledger (
          id, tenant_id, connection_id, credential_id, provider, zone_id, zone_name, host, type, value, ttl, previous,
          status, at)
        VALUES (
          ${randomUUID()}, ${tenant_id}, ${id}, ${randomUUID()}, 'powerdns', 'z', 'test', 'shop.test', 'A', ${value}, 300,
          ${sql.jsonb(previous)}, ${status}, now() + ${minute} * interval '1 minute')
      `);
    await row('192.0.2.8', 'standing', 1, record('192.0.2.1'));
    await row('192.0.2.9', 'standing', 2, record('192.0.2.2'), record('192.0.2.1'));
    await row('192.0.2.7', 'removed', 3, record('192.0.2.3'));
    await database.migrate();
    const layers = await displacedLayers(pool, id);
    expect(layers).toMatchObject([{ host: 'shop.test', purpose: 'connection', whole: true }]);
    expect(layers[0]?.records.map(({ value }) => value)).toEqual(['192.0.2.2', '192.0.2.1', '192.0.2.1']);
  } finally {
    await pool.end();
    await database.drop();
  }
});
