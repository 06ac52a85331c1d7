import { parseConfig, readEnvironment } from '../config.ts';
import { runAgent } from './agent.ts';
import { Lifecycle, untilStopped } from './lifecycle.ts';
import { sentenceOf } from './process.ts';

/** The process beside each Caddy. */
const lifecycle = new Lifecycle();
// The process that started this one reads what it prints; this one goes on when that one has died.
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
