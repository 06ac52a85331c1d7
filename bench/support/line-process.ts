import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A script in a separate process that answers each line of its input with a line. */
export interface LineProcess {
  pid: number;
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the script and waits for its first line. */
export async function startLineProcess(args: readonly string[]): Promise<LineProcess> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    pid: child.pid!,
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
