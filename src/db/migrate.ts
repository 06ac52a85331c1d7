import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { runner } from 'node-pg-migrate';

const silent = () => undefined;
const FOLDER = join(import.meta.dirname, '../../migrations');

/**
 * Brings the database to the newest schema, forward only. Several processes may start at once: the library's advisory
 * lock lets one work while the others wait, and then find nothing left to do.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await runner({
    databaseUrl,
    dir: FOLDER,
    migrationsTable: 'schema_migrations',
    direction: 'up',
    advisoryLockMode: 'wait',
    checkOrder: true,
    logger: { debug: silent, info: silent, warn: silent, error: silent }, // what fails is thrown
  });
}

/** Asked of the catalogue, because a login without rights in the schema cannot ask for a table by its name. */
const MIGRATIONS_TABLE = `(
  SELECT relowner FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relname = 'schema_migrations'
) AS migrations`;

/**
 * Whether this login may migrate: it owns what earlier migrations made, or nothing is there yet and it may make tables.
 */
export const mayMigrate = (databaseUrl: string): Promise<boolean> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ may: boolean }>(`
      SELECT coalesce(
        (SELECT pg_has_role(relowner, 'USAGE') FROM ${MIGRATIONS_TABLE}),
        has_schema_privilege('public', 'CREATE')) AS may`);
    return rows[0]?.may === true;
  });

/** Whether every migration that this version knows was made. */
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

async function withClient<T>(databaseUrl: string, body: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/** Makes a database on a server of our own, unless it is there, and gives its address. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
