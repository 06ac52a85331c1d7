import { Worker } from '@temporalio/worker';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { STATES } from '../../src/domain/connection/connection.ts';
import { installRuntime } from '../../src/temporal/worker.ts';
import { asSuperuser, databaseUrl } from '../support/fixtures/database.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { readRelease, restoreRelease } from './release-dump.ts';

describe.each(['0.1.0'])('release %s', (version) => {
  const dump = readRelease(version);

  test('has a connection in every state that a commit can leave, and they migrate to the present schema', async () => {
    const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`CREATE DATABASE ${name}`);
    const client = new pg.Client({ connectionString: databaseUrl(name) });
    try {
      await restoreRelease(databaseUrl(name), dump);
      await migrate(databaseUrl(name));
      await client.connect();
      const { rows } = await client.query<{ state: string }>('SELECT DISTINCT state FROM connections');
      const atRest = STATES.filter((state) => state !== 'created'); // lasts only within the transaction that inserts a row
      expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(atRest));
    } finally {
      await client.end();
      await asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  });

  test('has histories of every connection, and the present workflow code replays them', async () => {
    installRuntime(log);
    const ids = Object.keys(dump.histories);
    const connections = JSON.parse(dump.tables['connections']!) as { id: string }[];
    for (const { id } of connections) expect(ids.filter((key) => key.endsWith(`/${id}`))).toHaveLength(1);
    const workflowBundle = { codePath: process.env['TEST_WORKFLOW_BUNDLE']! };
    for (const [id, history] of Object.entries(dump.histories))
      await Worker.runReplayHistory({ workflowBundle }, history, id);
  });
});
