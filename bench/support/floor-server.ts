import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createPool, sql } from '../../src/db/pool.ts';
import { none } from '../../src/db/pool.ts';

/** A worker of the floor workflow in a separate process. Each line of its input is a number of workflows to run. */
const [databaseUrl = '', address = ''] = process.argv.slice(2);
const ignore = () => undefined;
const quiet = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: console.error };

const pool = await createPool(databaseUrl, { max: 10, name: 'floor' });
const workflowBundle = await bundleWorkflowCode({
  logger: quiet,
  workflowsPath: join(import.meta.dirname, 'floor-workflow.ts'),
});
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'floor',
  workflowBundle,
  activities: { roundTrip: () => pool.query(sql.type(none)`SELECT`).then(ignore) },
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const run = () => client.workflow.execute('floor', { workflowId: `floor-${randomUUID()}`, taskQueue: 'floor' });
  await Promise.all(Array.from({ length: Number(line) }, run));
  process.stdout.write('done\n');
}
process.exit();
