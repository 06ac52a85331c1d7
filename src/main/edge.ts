import { parseConfig, readEnvironment } from '../config.ts';
import { runAgent } from './agent.ts';
import { runEdgeProcess } from './edge-process.ts';

/** The agent's process, one for each Caddy. */
await runEdgeProcess((lifecycle) => runAgent(parseConfig(readEnvironment(), { role: 'edge agent' }), lifecycle));
