import { startOperational } from '../api/server.ts';
import { Callers } from '../db/tenant/callers.ts';
import { temporalUiOf } from './core.ts';
import { cacheDir } from '../embedded/folders.ts';
import { runWorker } from './parts.ts';
import { runProcess } from './process.ts';
import { openWorkerGraph } from './worker-graph.ts';

await runProcess('worker', async (core, databaseUrl, lifecycle) => {
  const { config } = core;
  const graph = await openWorkerGraph(core, databaseUrl);
  lifecycle.add('connections', { stop: () => graph.close() });
  const worker = await runWorker(graph, lifecycle, cacheDir());
  // Starts last, so that a healthy answer means a working worker.
  if (config.INTERNAL_PORT !== undefined) {
    const onError = (error: Error) => core.log.warn({ err: error }, 'A database connection broke.');
    const callers = new Callers(databaseUrl, { max: 1, onError });
    lifecycle.add('health check', { stop: () => callers.end() });
    graph.own.listensOn(config.INTERNAL_PORT);
    const deps = { ...graph, ...temporalUiOf(config), callers, trustedProxies: config.TRUSTED_PROXIES };
    lifecycle.add('metrics', await startOperational(deps, config.internalHost, config.INTERNAL_PORT));
  }
  return worker;
});
