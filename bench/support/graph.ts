import { parseConfig } from '../../src/config.ts';
import { openApiGraph } from '../../src/main/api-graph.ts';
import { openCore } from '../../src/main/core.ts';
import { openWorkerGraph } from '../../src/main/worker-graph.ts';
import { ListenerTable } from '../../src/net/own-listeners.ts';

const coreOf = (env: Record<string, string>) => openCore(parseConfig(env), env, 'bench', new ListenerTable([]));

/** Opens the parts of a worker that a benchmark measures. */
export const openBenchWorker = (env: Record<string, string>, databaseUrl: string) =>
  openWorkerGraph(coreOf(env), databaseUrl);

/** Opens the parts of an API process that a benchmark measures. */
export const openBenchApi = (env: Record<string, string>, databaseUrl: string) =>
  openApiGraph(coreOf(env), databaseUrl);
