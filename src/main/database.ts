import { ConfigError, type Config } from '../config.ts';
import { ensureToken } from '../db/edge/registered-edges.ts';
import { ensureLogin } from '../db/logins.ts';
import { createPool } from '../db/pool.ts';
import { isMigrated, mayMigrate, migrate } from '../db/migrate.ts';

/** Logins of the API and the worker. */
export interface DatabaseUrls {
  api: string;
  worker: string;
}

export type DatabaseSettings = Pick<
  Config,
  'DATABASE_URL' | 'MIGRATION_DATABASE_URL' | 'API_DATABASE_URL' | 'WORKER_DATABASE_URL'
>;

/** Returns the configured logins: its own for each process, else the shared one, else the other process's. */
function databaseUrls(settings: DatabaseSettings): DatabaseUrls {
  const { DATABASE_URL: both, API_DATABASE_URL, WORKER_DATABASE_URL } = settings;
  const api = API_DATABASE_URL ?? both ?? WORKER_DATABASE_URL;
  const worker = WORKER_DATABASE_URL ?? both ?? API_DATABASE_URL;
  if (api === undefined || worker === undefined)
    throw new ConfigError('DATABASE_URL must name the database; only npm start brings its own.');
  return { api, worker };
}

/** Registers the token of a deployment's own edge, so that the edge can bind its key pair when it starts. */
export async function registerOwnEdge(databaseUrl: string, { EDGE_ID, EDGE_TOKEN }: Config): Promise<void> {
  if (EDGE_TOKEN === undefined) return;
  const pool = await createPool(databaseUrl, { max: 1, name: 'registration of the edge' });
  await ensureToken(pool, EDGE_ID, EDGE_TOKEN).finally(() => pool.end());
}

/** Migrates the schema and creates the logins if the settings allow it; otherwise checks that another process did. */
export async function prepareDatabase(settings: DatabaseSettings): Promise<DatabaseUrls> {
  const urls = databaseUrls(settings);
  const owner = settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL ?? urls.worker;
  if (settings.MIGRATION_DATABASE_URL === undefined && !(await mayMigrate(owner))) {
    if (await isMigrated(owner)) return urls;
    throw new ConfigError(
      'The database does not have the schema of this version, and this login may not migrate it. Run the migrate command first, or set MIGRATION_DATABASE_URL.',
    );
  }
  await migrate(owner);
  if (settings.API_DATABASE_URL !== undefined) await ensureLogin(owner, 'api', settings.API_DATABASE_URL);
  if (settings.WORKER_DATABASE_URL !== undefined) await ensureLogin(owner, 'worker', settings.WORKER_DATABASE_URL);
  return urls;
}
