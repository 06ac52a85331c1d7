import { startApi, type RunningApi } from '../api/server.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { Admission } from '../edge/admission.ts';
import { publicAuthority } from '../edge/public-authority.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { startRelay } from '../temporal/relay.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { installRuntime, startWorker } from '../temporal/worker.ts';
import { answerEdge } from './edge-questions.ts';
import type { Graph } from './graph.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startMaintenance } from './maintenance.ts';

/** The two halves of the service. One process can run both, or many processes each one of them. */
export async function runApi(
  { api, config, apiDatabaseUrl, log, metrics }: Graph,
  lifecycle: Lifecycle,
): Promise<RunningApi> {
  const admission = lifecycle.add('admission table', new Admission(apiDatabaseUrl, log));
  const internal = answerEdge(config, admission, lifecycle, {
    authority: () => publicAuthority(api.pool, config.ACME_DIRECTORY_URL, registrableDomain),
    noteAsk: metrics.noteAsk,
  });
  return lifecycle.add(
    'API',
    await startApi({ ...api, internal }, config.HOST, { port: config.PORT, internalPort: config.INTERNAL_PORT }),
  );
}

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
    maxActivities: config.WORKER_ACTIVITIES,
  });
  lifecycle.add('worker', worker);
  lifecycle.add('relay', startRelay(graph));
  lifecycle.add('maintenance', startMaintenance(graph));
  return {
    died: worker.done.then(
      () => 'The worker ended.',
      (error: unknown) => `The worker died: ${String(error)}`,
    ),
  };
}
