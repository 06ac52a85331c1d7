import { Worker } from '@temporalio/worker';
import pg from 'pg';
import { STATES } from '../../src/domain/connection/connection.ts';
import { installRuntime } from '../../src/temporal/worker.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { migratedRelease, readRelease } from './release-dump.ts';

describe.each(['0.1.0'])('release %s', (version) => {
  const dump = readRelease(version);

  test('has a connection in every state that a commit can leave, and they migrate to the present schema', async () => {
    const database = await migratedRelease(dump);
    const client = new pg.Client({ connectionString: database.url });
    try {
      await client.connect();
      const { rows } = await client.query<{ state: string }>('SELECT DISTINCT state FROM connections');
      const atRest = STATES.filter((state) => state !== 'created'); // lasts only within the transaction that inserts a row
      expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(atRest));
    } finally {
      await client.end();
      await database.drop();
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
