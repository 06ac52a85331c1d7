import { runApi } from './parts.ts';
import { runProcess } from './process.ts';

await runProcess('api', async (graph, lifecycle) => {
  await runApi(graph, lifecycle);
  return {};
});
