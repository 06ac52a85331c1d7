import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

/** A server that a test runs in the foreground. It is up when `isReady` says so, and gone after `stop`. */
export async function startServer(
  command: string,
  args: readonly string[],
  isReady: () => Promise<boolean>,
): Promise<{ stop(): Promise<void> }> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const output: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.once('error', (error) => output.push(error.message));
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  await until(async () => {
    if (hasEnded(child)) throw new Error(`${command} did not start. It said: ${output.join('').slice(-2000)}`);
    return isReady();
  });
  return {
    stop: async () => {
      process.off('exit', killChild);
      if (hasEnded(child)) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
