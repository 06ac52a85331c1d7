import { startOperational } from '../api/server.ts';
import { cacheDir } from '../embedded/folders.ts';
import { runWorker } from './parts.ts';
import { runProcess } from './process.ts';

await runProcess('worker', async (graph, lifecycle) => {
  const { config } = graph;
  const worker = await runWorker(graph, lifecycle, cacheDir());
  // Starts last, so that a healthy answer means a working worker.
  if (config.INTERNAL_PORT !== undefined) {
    graph.own.listensOn(config.INTERNAL_PORT);
    lifecycle.add('metrics', await startOperational(graph.api, config.internalHost, config.INTERNAL_PORT));
  }
  return worker;
});
