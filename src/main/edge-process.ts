import { Lifecycle, untilStopped } from './lifecycle.ts';
import { sentenceOf } from './process.ts';

/** Runs a process next to Caddy until it is stopped. */
export async function runEdgeProcess(start: (lifecycle: Lifecycle) => Promise<void>): Promise<void> {
  const lifecycle = new Lifecycle();
  // The parent reads the output; this process continues after the parent has died.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await start(lifecycle);
    await untilStopped(new Promise(() => undefined));
    await lifecycle.stop();
  } catch (error) {
    await lifecycle.stop();
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
