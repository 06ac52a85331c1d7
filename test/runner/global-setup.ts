import { randomBytes } from 'node:crypto';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { cacheDir } from '../../src/embedded/folders.ts';
import { stopOrphanedPostgres } from '../../src/embedded/postgres-orphan.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { writeBundle } from '../../src/temporal/bundle.ts';
import { SUPERUSER_URL_VARIABLE, TEMPLATE, asSuperuser, databaseUrl } from '../support/fixtures/database.ts';
import { leaveForTeardown, tearDown } from './global-teardown.ts';
import { NO_SERVERS_VARIABLE } from './run-jest.ts';
import { obtainTestServer } from '../support/servers/test-servers.ts';

/** Path of the workflow bundle, for tests. Bundling once saves two seconds in every file that runs a worker. */
const BUNDLE_VARIABLE = 'TEST_WORKFLOW_BUNDLE';

const RUN_FOLDER = 'service-test-run-';

/**
 * Prepares the parts that all test files share: one Postgres with a migrated template, the Temporal programs and the
 * bundle.
 */
export default async function globalSetup(): Promise<void> {
  if (process.env[NO_SERVERS_VARIABLE] !== undefined) return;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void tearDown().finally(() => process.exit(1)));
  }
  try {
    await setUp();
  } catch (error) {
    // Jest runs no teardown after a failed set-up.
    await tearDown();
    throw error;
  }
}

async function setUp(): Promise<void> {
  await stopWhatKilledRunsLeft();
  const folder = await mkdtemp(join(tmpdir(), RUN_FOLDER));
  leaveForTeardown(() => rm(folder, { recursive: true, force: true }));
  // Waits for all parts even if one fails, because a part that is still starting could not be stopped.
  const parts = await Promise.allSettled([preparePostgres(folder), preparePrograms(), prepareBundle(folder)]);
  for (const part of parts) if (part.status === 'rejected') throw part.reason;
}

/** Stops the Postgres of runs that were killed with kill -9. A Postgres with a living owner stays. */
async function stopWhatKilledRunsLeft(): Promise<void> {
  for await (const dataDir of glob(`${RUN_FOLDER}*/postgres`, { cwd: tmpdir() })) {
    await stopOrphanedPostgres(join(tmpdir(), dataDir), onProgress).catch(() => undefined);
  }
}

async function preparePostgres(folder: string): Promise<void> {
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    cacheDir: cacheDir(),
    password: randomBytes(16).toString('hex'),
    settings: { max_connections: '200' },
    durable: false,
    onProgress,
  });
  leaveForTeardown(postgres.stop);
  process.env[SUPERUSER_URL_VARIABLE] = postgres.url;
  await asSuperuser(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(databaseUrl(TEMPLATE));
}

/** Sets the variables that an operator would set, so that code under test finds the programs without a search. */
async function preparePrograms(): Promise<void> {
  const [cli, testServer] = await Promise.all([
    obtainServer('temporal', { onProgress }),
    obtainTestServer('temporal-test-server', { onProgress }),
  ]);
  process.env['TEMPORAL_CLI_PATH'] = cli;
  process.env['TEMPORAL_TEST_SERVER_PATH'] = testServer;
}

async function prepareBundle(folder: string): Promise<void> {
  const path = join(folder, 'workflows.js');
  await writeBundle(path);
  process.env[BUNDLE_VARIABLE] = path;
}

function onProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
