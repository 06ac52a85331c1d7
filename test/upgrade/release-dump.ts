import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { z } from 'zod';
import { migrate } from '../../src/db/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** Seals the credentials and webhook secrets of a recorded release. They are secrets of test servers only. */
export const RECORDED_VAULT_KEY = `k1:${Buffer.alloc(32, 'release').toString('base64')}`;

/** A release as later versions find it: the commit, the rows of every table, and the histories of the workflow runs. */
export interface ReleaseDump {
  release: Release;
  /** The rows of each table as a JSON array. They stay text, because JavaScript would round Postgres' large integers. */
  tables: Record<string, string>;
  /** Histories by workflow id. */
  histories: Record<string, { events: unknown[] }>;
}

const Release = z.object({
  version: z.string(),
  /** The commit whose code wrote the rows and histories. */
  commit: z.string(),
  /** The last migration of the release. Rows are restored into the schema that this migration leaves. */
  last_migration: z.string(),
  /** Temporal's time when the release was recorded. */
  recorded_at: z.iso.datetime(),
});
type Release = z.infer<typeof Release>;

const folderOf = (version: string): string => join(import.meta.dirname, version);

export function saveRelease({ release, tables, histories }: ReleaseDump): void {
  const folder = folderOf(release.version);
  const pack = (value: unknown): Buffer => gzipSync(JSON.stringify(value), { level: 9 });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
  writeFileSync(join(folder, 'database.json.gz'), pack(tables));
  writeFileSync(join(folder, 'histories.json.gz'), pack(histories));
}

export function readRelease(version: string): ReleaseDump {
  const folder = folderOf(version);
  const unpack = (file: string): unknown => JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString());
  return {
    release: Release.parse(JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'))),
    tables: unpack('database.json.gz') as ReleaseDump['tables'],
    histories: unpack('histories.json.gz') as ReleaseDump['histories'],
  };
}

export const lastMigration = (): string => readdirSync(MIGRATIONS).sort().at(-1)!;

/** Returns the rows of every table that has any. The schema is not part of a dump: migrations are never changed. */
export async function dumpTables(databaseUrl: string): Promise<ReleaseDump['tables']> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables: ReleaseDump['tables'] = {};
    for (const table of await tableNames(client)) {
      const { rows } = await client.query<{ all: string | null }>(
        `SELECT json_agg(t)::text AS all FROM ${client.escapeIdentifier(table)} t`,
      );
      if (rows[0]!.all !== null) tables[table] = rows[0]!.all;
    }
    return tables;
  } finally {
    await client.end();
  }
}

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'schema_migrations'
    ORDER BY relname`);
  return rows.map(({ name }) => name);
}

/** Creates a database with the rows of a release, and migrates it to the present schema. */
export async function migratedRelease(dump: ReleaseDump): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await restoreRelease(database.url, dump);
  await migrate(database.url);
  return database;
}

/**
 * Restores a release into an empty database: its migrations, then its rows. Every timestamp moves by the time that has
 * passed since the recording, so deadlines are as far away as they were.
 */
export async function restoreRelease(databaseUrl: string, { release, tables }: ReleaseDump): Promise<void> {
  const folder = await tempFolder();
  for (const file of readdirSync(MIGRATIONS).filter((name) => name <= release.last_migration))
    cpSync(join(MIGRATIONS, file), join(folder, file));
  await migrate(databaseUrl, folder);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica'); // no trigger fires, no reference is checked
    for (const table of await tableNames(client)) await client.query(`DELETE FROM ${client.escapeIdentifier(table)}`);
    for (const [table, rows] of Object.entries(tables)) await restoreTable(client, table, rows, release.recorded_at);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function restoreTable(client: pg.Client, table: string, rows: string, recordedAt: string): Promise<void> {
  const name = client.escapeIdentifier(table);
  const { rows: columns } = await client.query<{ name: string; is_time: boolean; sequence: string | null }>(
    `SELECT attname AS name, atttypid = 'timestamptz'::regtype AS is_time,
            pg_get_serial_sequence($1::regclass::text, attname) AS sequence
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [name],
  );
  const list = columns.map((column) => client.escapeIdentifier(column.name)).join(', ');
  const shifted = columns
    .map((column) => client.escapeIdentifier(column.name) + (column.is_time ? ' + (now() - $2::timestamptz)' : ''))
    .join(', ');
  await client.query(
    `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE
     SELECT ${shifted} FROM json_populate_recordset(NULL::${name}, $1) WHERE $2::text IS NOT NULL`,
    [rows, recordedAt],
  );
  for (const { name: column, sequence } of columns)
    if (sequence !== null)
      await client.query(`SELECT setval($1, (SELECT max(${client.escapeIdentifier(column)}) FROM ${name}))`, [
        sequence,
      ]);
}
