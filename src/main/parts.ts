import type { AppOptions } from '../api/app.ts';
import { startApi, type RunningApi } from '../api/server.ts';
import { keepSdkFile } from '../db/sdk-files.ts';
import { cacheDir } from '../embedded/places.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { Admission } from '../edge/admission.ts';
import { internalHandler } from '../edge/internal.ts';
import { publicAuthority } from '../edge/public-authority.ts';
import { loadSdk } from '../sdk/files.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { startRelay } from '../temporal/relay.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { installRuntime, startWorker } from '../temporal/worker.ts';
import type { Graph } from './graph.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startMaintenance } from './maintenance.ts';

/** The two halves of the service. One process can run both, or many processes each one of them. */
export async function runApi(
  { api, config, apiDatabaseUrl, log, metrics }: Graph,
  lifecycle: Lifecycle,
  beside: Pick<AppOptions, 'pages'> = {},
): Promise<RunningApi> {
  const sdk = await loadSdk(cacheDir());
  for (const { name, body, immutable } of sdk) if (immutable) await keepSdkFile(api.pool, name, body);
  const admission = lifecycle.add('admission table', new Admission(apiDatabaseUrl, log));
  const internal = internalHandler(admission, {
    sandboxNames: config.EDGE === 'acme' ? 'refused' : 'admitted',
    authority: config.EDGE === 'acme' ? publicAuthority(api.pool, config.ACME_DIRECTORY_URL, registrableDomain) : null,
    allowPrivateOrigins: config.ORIGIN_ALLOW_PRIVATE,
    // On one machine, edge and origins share the loopback address and differ by port.
    ownAddresses: api.ownHosts.addresses.filter((address) => address !== '127.0.0.1' && address !== '::1'),
    noteAsk: metrics.noteAsk,
  });
  return lifecycle.add(
    'API',
    await startApi({ ...api, internal, sdk }, config.HOST, {
      ...beside,
      port: config.PORT,
      internalPort: config.INTERNAL_PORT,
    }),
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
