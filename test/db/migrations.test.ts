import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isMigrated, migrate } from '../../src/db/migrate.ts';
import { asSuperuser, createTestDatabase, databaseUrl } from '../support/database.ts';
import { lintMigration } from '../support/squawk.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
/** Those before it were made for tables that were small then. */
const LINTED_FROM = '0021';

test('a migration takes no lock that writers of a large table would wait for, and says why it is there', async () => {
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name >= LINTED_FROM)) {
    const path = join(MIGRATIONS, file);
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^-- Why: /m);
    expect(text).toMatch(/^-- Lock: /m);
    expect(await lintMigration(path, { inTransaction: !/^-- Without a transaction/m.test(text) })).toBe('');
  }
});

test('several processes that migrate at once all find the schema made, also where indexes are built concurrently', async () => {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`CREATE DATABASE ${name}`);
  try {
    await Promise.all([1, 2, 3].map(() => migrate(databaseUrl(name))));
    expect(await isMigrated(databaseUrl(name))).toBe(true);
  } finally {
    await asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
});

test('a migration that gets no lock lets those behind it pass, and is tried again', async () => {
  const database = await createTestDatabase();
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query(`DELETE FROM schema_migrations WHERE name = '0026_counts'`);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE connections IN SHARE UPDATE EXCLUSIVE MODE');
    const migrated = migrate(database.url);
    await pause(4_000); // longer than a migration waits for a lock
    expect(await isMigrated(database.url)).toBe(false);
    await holder.query('COMMIT');
    await migrated;
    expect(await isMigrated(database.url)).toBe(true);
  } finally {
    await holder.end();
    await database.drop();
  }
});
