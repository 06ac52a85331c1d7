import { startApi, type RunningApi } from '../api/server.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { startRelay } from '../temporal/relay.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { installRuntime, startWorker } from '../temporal/worker.ts';
import type { Graph } from './graph.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startUpkeep } from './upkeep.ts';

/** The two halves of the service. One process can run both, or many processes each one of them. */
export const runApi = async (graph: Graph, lifecycle: Lifecycle): Promise<RunningApi> =>
  lifecycle.add(
    'API',
    await startApi(graph.api, graph.config.HOST, { port: graph.config.PORT, internalPort: graph.config.INTERNAL_PORT }),
  );

/** Resolves once the worker polls; `died` settles with a sentence should it end by itself. */
export async function runWorker(
  graph: Graph,
  lifecycle: Lifecycle,
  cacheDir: string,
): Promise<{ died: Promise<string> }> {
  const { temporal, log, config } = graph;
  installRuntime(log);
  await registerSearchAttributes(temporal, log);
  const worker = await startWorker({
    temporal,
    activities: graph.activities,
    bundle: await workflowBundle(cacheDir),
    maxCachedWorkflows: config.WORKER_CACHED_WORKFLOWS,
  });
  lifecycle.add('worker', worker);
  lifecycle.add('relay', startRelay(graph));
  lifecycle.add('upkeep', startUpkeep(graph));
  return {
    died: worker.done.then(
      () => 'The worker ended.',
      (error: unknown) => `The worker died: ${String(error)}`,
    ),
  };
}
