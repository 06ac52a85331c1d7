import { parseConfig, readEnvironment } from '../config.ts';
import { runAgent } from './agent.ts';
import { Lifecycle, untilStopped } from './lifecycle.ts';
import { sentenceOf } from './process.ts';

/** The agent's process, one for each Caddy. */
const lifecycle = new Lifecycle();
// The parent reads the output; the agent continues after the parent has died.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  await runAgent(parseConfig(readEnvironment(), { role: 'edge agent' }), lifecycle);
  await untilStopped(new Promise(() => undefined));
  await lifecycle.stop();
} catch (error) {
  await lifecycle.stop();
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
