import { parseConfig } from '../../src/config.ts';
import { openGraph } from '../../src/main/graph.ts';
import { ListenerTable } from '../../src/net/own-listeners.ts';

/** Opens the object graph of a process that a benchmark measures, with one database login for everything. */
export const openBenchGraph = (env: Record<string, string>, databaseUrl: string) =>
  openGraph(parseConfig(env), { api: databaseUrl, worker: databaseUrl }, env, 'bench', new ListenerTable([]));
