import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runner, type MigrationBuilder } from 'node-pg-migrate';

const silent = () => undefined;
const FOLDER = join(import.meta.dirname, '../../migrations');

/** Time that a migration waits for a lock. Then waiting statements run before the next try. */
const LOCK_TIMEOUT_MS = 3_000;
const TRIES = 60;
const BETWEEN_TRIES_MS = 1_000;

/** Migrates the database forward. Processes poll for the lock: a waiting statement would block concurrent indexing. */
export async function migrate(databaseUrl: string, folder = FOLDER): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await runner({
        databaseUrl: { connectionString: databaseUrl, lock_timeout: LOCK_TIMEOUT_MS },
        dir: folder,
        migrationsTable: 'schema_migrations',
        direction: 'up',
        checkOrder: true,
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader: (files) => Promise.all(files.map(readMigration)) }],
        logger: { debug: silent, info: silent, warn: silent, error: silent }, // errors are thrown
      });
      return;
    } catch (error) {
      if (tries === TRIES || !isWorthAnotherTry(error)) throw error;
      await pause(BETWEEN_TRIES_MS);
    }
}

/** lock_not_available, and deadlock_detected: both roll the migration back. */
const LOCK_ERRORS: readonly unknown[] = ['55P03', '40P01'];
const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && LOCK_ERRORS.includes(error.code)) || error.message.startsWith('Another migration'));

/** Marks a file whose statements run outside a transaction, each by itself. */
const WITHOUT_TRANSACTION = /^-- Without a transaction/m;

async function readMigration(file: string) {
  const text = await readFile(file, 'utf8');
  const up = (pgm: MigrationBuilder): void => {
    if (!WITHOUT_TRANSACTION.test(text)) {
      pgm.sql(text);
      return;
    }
    pgm.noTransaction();
    for (const statement of text.split(/;\s*$/m)) if (statement.trim() !== '') pgm.sql(statement);
  };
  return { id: file, filePaths: [file], actions: { up, down: false as const } };
}

/** Removes what only processes of the previous release need. */
export const finishUpgrade = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query('DROP INDEX CONCURRENTLY IF EXISTS connections_unproved');
  });

/** Reads the catalogue, because a login without rights in the schema cannot name a table. */
const MIGRATIONS_TABLE = `(
  SELECT relowner FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relname = 'schema_migrations'
) AS migrations`;

/** Whether this login may migrate: it owns the tables, or there are none yet and it may create them. */
export const mayMigrate = (databaseUrl: string): Promise<boolean> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ may: boolean }>(`
      SELECT coalesce(
        (SELECT pg_has_role(relowner, 'USAGE') FROM ${MIGRATIONS_TABLE}),
        has_schema_privilege('public', 'CREATE')) AS may`);
    return rows[0]?.may === true;
  });

/** Whether every migration of this version has been applied. */
export const isMigrated = (databaseUrl: string): Promise<boolean> =>
  withClient(databaseUrl, async (client) => {
    const known = (await readdir(FOLDER)).map((file) => file.replace(/\.sql$/, ''));
    const { rows } = await client.query<{ exists: boolean }>(
      `SELECT EXISTS (SELECT FROM ${MIGRATIONS_TABLE}) AS exists`,
    );
    if (rows[0]?.exists !== true) return false;
    const made = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
    const names = new Set(made.rows.map(({ name }) => name));
    return known.every((name) => names.has(name));
  });

/** Errors of a Postgres that is starting, restarting, or not resolvable yet. */
const NOT_YET = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '57P01', '57P03']);

/** Waits until the database accepts connections. Throws the last error when the attempts are used up. */
export async function untilAccepting(databaseUrl: string, onWait: () => void): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await withClient(databaseUrl, () => Promise.resolve());
      return;
    } catch (error) {
      if (tries === TRIES || !NOT_YET.has(codeOf(error))) throw error;
      if (tries === 1) onWait();
      await pause(BETWEEN_TRIES_MS);
    }
}

/** Returns the error code. A host with several addresses fails with one error for each. */
function codeOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first instanceof Error && 'code' in first ? String(first.code) : '';
}

async function withClient<T>(databaseUrl: string, body: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
