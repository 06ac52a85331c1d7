import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { isMigrated, migrate } from '../../src/db/migrate.ts';
import { asSuperuser, createTestDatabase, databaseUrl } from '../support/fixtures/database.ts';
import { lintMigration } from '../support/servers/squawk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
/** Earlier migrations were written for tables that were still small. */
const LINTED_FROM = '0021';

test('a migration takes no lock that blocks writers of a large table, and states its purpose', async () => {
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name >= LINTED_FROM)) {
    const path = join(MIGRATIONS, file);
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^-- Why: /m);
    expect(text).toMatch(/^-- Lock: /m);
    expect(await lintMigration(path, { inTransaction: !/^-- Without a transaction/m.test(text) })).toBe('');
  }
});

test('processes that migrate concurrently all end with the complete schema, even while indexes are built concurrently', async () => {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`CREATE DATABASE ${name}`);
  try {
    await Promise.all([1, 2, 3].map(() => migrate(databaseUrl(name))));
    expect(await isMigrated(databaseUrl(name))).toBe(true);
  } finally {
    await asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
});

test('a migration that cannot get its lock lets the queries behind it pass, and is retried', async () => {
  const database = await createTestDatabase();
  const [reader, writer] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([reader.connect(), writer.connect()]);
  try {
    const folder = await tempFolder();
    await cp(MIGRATIONS, folder, { recursive: true });
    await writeFile(join(folder, '9999_next.sql'), 'ALTER TABLE connections ADD COLUMN next text;');
    await reader.query('BEGIN; SELECT FROM connections');
    const migrated = migrate(database.url, folder);
    await until(async () => (await writer.query(LOCK_IS_WAITED_FOR)).rowCount === 1);
    await writer.query('UPDATE connections SET version = version + 1');
    await reader.query('COMMIT');
    await migrated;
    await writer.query('SELECT next FROM connections');
  } finally {
    await Promise.all([reader.end(), writer.end()]);
    await database.drop();
  }
});

test('a migration that Postgres cancels because of a deadlock is retried', async () => {
  const database = await createTestDatabase();
  const [reader, watcher] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([reader.connect(), watcher.connect()]);
  try {
    const folder = await tempFolder();
    await cp(MIGRATIONS, folder, { recursive: true });
    const columns = ['events', 'connections'].map((table) => `ALTER TABLE ${table} ADD COLUMN next text;`);
    await writeFile(join(folder, '9999_next.sql'), columns.join('\n'));
    // Postgres cancels the transaction that notices the deadlock, which is not the reader's.
    await reader.query(`BEGIN; SET LOCAL deadlock_timeout = '10min'; SELECT FROM connections`);
    const migrated = migrate(database.url, folder);
    await until(async () => (await watcher.query(LOCK_IS_WAITED_FOR)).rowCount === 1);
    await reader.query('SELECT FROM events');
    await reader.query('COMMIT');
    await migrated;
    await watcher.query('SELECT events.next FROM events, connections WHERE connections.next IS NULL');
  } finally {
    await Promise.all([reader.end(), watcher.end()]);
    await database.drop();
  }
});

const LOCK_IS_WAITED_FOR = `
  SELECT FROM pg_locks WHERE relation = 'connections'::regclass AND NOT granted AND mode = 'AccessExclusiveLock'`;
