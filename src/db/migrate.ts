import { join } from 'node:path';
import { runner } from 'node-pg-migrate';

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
    logger: { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error },
  });
}
