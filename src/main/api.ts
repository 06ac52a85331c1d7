import { openApiGraph } from './api-graph.ts';
import { runApi } from './parts.ts';
import { runProcess } from './process.ts';

await runProcess('api', async (core, databaseUrl, lifecycle) => {
  const graph = await openApiGraph(core, databaseUrl);
  lifecycle.add('connections', { stop: () => graph.close() });
  await runApi(graph, lifecycle);
  return {};
});
