import { parseConfig, readEnvironment } from '../config.ts';
import { runAnswerer } from './answerer.ts';
import { runEdgeProcess } from './edge-process.ts';

/** The second answerer's process, one for each Caddy. */
await runEdgeProcess((lifecycle) => runAnswerer(parseConfig(readEnvironment(), { role: 'edge agent' }), lifecycle));
