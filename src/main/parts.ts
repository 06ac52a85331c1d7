import type { AppOptions } from '../api/app.ts';
import { startApi, type RunningApi } from '../api/server.ts';
import { storedSigningKeys } from '../certificates/edge-secrets.ts';
import { ApiCallMeter } from '../billing/api-call-meter.ts';
import { keepSdkFile } from '../db/sdk-files.ts';
import { cacheDir } from '../embedded/folders.ts';
import { freePort } from '../embedded/ports.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { Admission } from '../edge/admission.ts';
import { DatabaseSource } from '../edge/database-source.ts';
import { limitedPages } from '../edge/page-log.ts';
import { publicAuthority } from '../edge/public-authority.ts';
import { SharedChanges } from '../edge/shared-changes.ts';
import { loadConsole, loadReference, loadSdk, settingsFile } from '../sdk/files.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { startReleases } from '../temporal/held-starts.ts';
import { startRelay } from '../temporal/relay.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { webhookTaskQueue } from '../temporal/webhook-runs.ts';
import { installRuntime, startWorker, type RunningWorker } from '../temporal/worker.ts';
import { deliveryKinds, OTHER_KINDS } from '../temporal/workflow-kinds.ts';
import { answerEdge } from './edge-questions.ts';
import type { ApiGraph } from './api-graph.ts';
import type { WorkerGraph } from './worker-graph.ts';
import { feedAddress, runFeed } from './feed.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startMaintenance } from './maintenance.ts';

/** Starts the API. One process can run API and worker, or many processes one of them each. */
export async function runApi(
  { core: { config, own, log, metrics }, api, databaseUrl }: ApiGraph,
  lifecycle: Lifecycle,
  options: Partial<Pick<AppOptions, 'demo' | 'demoKey' | 'operational'>> = {},
  changes = new SharedChanges(databaseUrl),
): Promise<RunningApi> {
  const sdk = [...(await loadSdk(cacheDir())), settingsFile({ productName: config.PRODUCT_NAME ?? null })];
  const consoleFiles = config.CONSOLE === 'on' ? await loadConsole(cacheDir()) : undefined;
  const referenceFiles = await loadReference(cacheDir());
  for (const { name, body, immutable } of [...sdk, ...referenceFiles, ...(consoleFiles ?? [])])
    if (immutable) await keepSdkFile(api.pool, name, body);
  const admission = lifecycle.add('admission table', new Admission(new DatabaseSource(databaseUrl, { changes }), log));
  const internal = answerEdge(config, admission, lifecycle, {
    authority: () => publicAuthority(api.pool, config.acmeDirectories, registrableDomain),
    recordAsk: metrics.countAsk,
    recordPage: limitedPages((page) => log.info(page, 'A visitor got a page of the edge.')),
    originDial: api.originDial,
    signingKeys: storedSigningKeys(api.pool, api.vault),
  });
  own.listensOn(config.PORT, ...[config.INTERNAL_PORT ?? [], config.EDGE_FEED_PORT ?? []].flat());
  const address = feedAddress(config);
  if (address !== undefined) await runFeed(config, databaseUrl, address, log, lifecycle, changes);
  // Stops after the API, whose last responses it counts.
  const meter = lifecycle.add(
    'count of API calls',
    new ApiCallMeter(api.pool, (error) => log.warn({ err: error }, 'API calls could not be counted yet.')),
  );
  const recordApiCall = meter.note.bind(meter);
  if (config.internalHost !== config.HOST) log.info(`Internal paths are at ${config.internalUrl}.`);
  return lifecycle.add(
    'API',
    await startApi(
      { ...api, internal, sdk, referenceFiles, ...(consoleFiles && { consoleFiles }), recordApiCall },
      config.HOST,
      {
        ...options,
        port: config.PORT,
        internalPort: config.INTERNAL_PORT,
        internalHost: config.internalHost,
      },
    ),
  );
}

/** Resolves once the worker polls. `died` resolves with a sentence if the worker fails. */
export async function runWorker(
  graph: WorkerGraph,
  lifecycle: Lifecycle,
  cacheDir: string,
): Promise<{ died: Promise<string> }> {
  const { temporal, log, config } = graph;
  const sdkMetricsPort = await freePort();
  graph.own.listensOn(sdkMetricsPort);
  installRuntime(log, sdkMetricsPort);
  await registerSearchAttributes(temporal, log);
  const shared = {
    bundle: await workflowBundle(cacheDir),
    maxPollers: config.WORKER_POLLERS,
    version: config.workerVersion,
    heldPatches: config.WORKER_HELD_PATCHES,
  };
  const worker = await startWorker({
    ...shared,
    temporal,
    activities: graph.activities,
    // Each watch for a challenge occupies a slot, in which it only waits.
    maxActivities: 2 * config.WORKER_ACTIVITIES,
    maxCachedWorkflows: config.WORKER_CACHED_WORKFLOWS,
    maxWorkflowTasks: config.WORKER_WORKFLOW_TASKS,
  });
  lifecycle.add('worker', worker);
  lifecycle.add('watch for challenges', graph.challengeWatch);
  // Webhooks have a worker of their own, so a slow receiver delays no connection. Most deliveries need one task.
  const webhooks = await startWorker({
    ...shared,
    temporal: { ...temporal, taskQueue: webhookTaskQueue(temporal.taskQueue) },
    activities: graph.webhookActivities,
    maxActivities: config.WORKER_ACTIVITIES,
    maxCachedWorkflows: config.WORKER_CACHED_DELIVERIES,
    maxWorkflowTasks: config.WORKER_DELIVERY_TASKS,
  });
  lifecycle.add('webhook worker', webhooks);
  lifecycle.add('relay', startRelay({ ...graph, temporal: startingHere(graph, worker), kinds: OTHER_KINDS }));
  const hangs = (endpointId: string) => graph.endpointSemaphores.hangs(endpointId);
  const deliveries = { kinds: deliveryKinds(hangs), batch: 200, gatherMs: 50 };
  lifecycle.add('webhook relay', startRelay({ ...graph, temporal: startingHere(graph, webhooks), ...deliveries }));
  lifecycle.add('held starts', startReleases({ ...graph, concurrency: config.BATCH_AT_ONCE }));
  lifecycle.add('maintenance', startMaintenance(graph));
  return {
    died: Promise.race([worker.done, webhooks.done]).then(
      () => 'The worker ended.',
      (error: unknown) => `The worker died: ${String(error)}`,
    ),
  };
}

/** The server returns a run's first task with the response to its start, unless it assigns runs to versions. */
const startingHere = ({ temporal, config }: WorkerGraph, { client }: RunningWorker) => ({
  ...client,
  taskQueue: temporal.taskQueue,
  startsHere: config.workerVersion === undefined,
});
