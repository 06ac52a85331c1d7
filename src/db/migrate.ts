import pg from 'pg';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';

const silent = () => undefined;

/**
 * Brings the database to the newest schema, forward only. Several processes may start at once: the library's advisory
 * lock lets one work while the others wait, and then find nothing left to do.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await runner({
    databaseUrl,
    dir: join(import.meta.dirname, '../../migrations'),
    migrationsTable: 'schema_migrations',
    direction: 'up',
    advisoryLockMode: 'wait',
    checkOrder: true,
    logger: { debug: silent, info: silent, warn: silent, error: silent }, // what fails is thrown
  });
}

/** Makes a database on a server of our own, unless it is there, and gives its address. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
