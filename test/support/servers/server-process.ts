import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../until.ts';

/** A server process that has started when `ready` is true and has exited after `stop`. */
export interface ServerProcess {
  stop(): Promise<void>;
}

export async function startServer(
  program: string,
  args: string[],
  ready: () => Promise<boolean>,
): Promise<ServerProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  try {
    await until(async () => hasEnded() || (await ready()));
    if (hasEnded()) throw new Error(`${program} exited immediately.`);
  } catch (cause) {
    child.kill('SIGKILL');
    throw new Error(`${program} did not start:\n${output}`, { cause });
  }
  return {
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(force);
    },
  };
}
