import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { installRuntime, startWorker } from '../../src/temporal/worker.ts';
import { openBenchWorker } from './graph.ts';

/** Runs one worker in a separate process, so that its memory and processor time can be measured. */
const [kind, databaseUrl = '', temporalAddress = '', cacheDir = ''] = process.argv.slice(2);
const key = `bench:${Buffer.alloc(32, 1).toString('base64')}`;
const env = {
  TEMPORAL_ADDRESS: temporalAddress,
  CREDENTIAL_KEYS: key,
  WIDGET_TOKEN_KEYS: key,
  CURSOR_KEY: key,
  LOG_LEVEL: 'error',
  LOG_FORMAT: 'json',
};
const graph = await openBenchWorker(env, databaseUrl);
installRuntime(graph.log);
let checks = 0;
const watched = new Set<string>();
const ignore = () => undefined;

if (kind === 'ours') {
  const { watch } = graph.activities;
  const counted = {
    ...graph.activities,
    watch: (id: string, touched: boolean) => (checks++, watched.add(id), watch(id, touched)),
  };
  const bundle = await workflowBundle(cacheDir);
  await startWorker({
    temporal: graph.temporal,
    activities: counted,
    bundle,
    maxCachedWorkflows: 500,
    maxWorkflowTasks: 4,
    maxPollers: 100,
    maxActivities: 100,
  });
} else {
  const quiet = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: console.error };
  const workflowBundleOfLoop = await bundleWorkflowCode({
    logger: quiet,
    workflowsPath: join(import.meta.dirname, 'loop-workflow.ts'),
  });
  const { NativeConnection } = await import('@temporalio/worker');
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const check = () => (checks++, Promise.resolve());
  const worker = await Worker.create({
    connection,
    taskQueue: 'loop',
    workflowBundle: workflowBundleOfLoop,
    activities: { check },
  });
  void worker.run();
}
process.stdout.write('ready\n');
process.stdin.on('end', () => process.exit());
process.stdin.on('data', () =>
  process.stdout.write(`${JSON.stringify({ checks, watched: watched.size, rss: process.memoryUsage().rss })}\n`),
);
