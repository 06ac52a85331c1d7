import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The address of a source file, for the scripts below. */
export const source = (path: string): string => `file://${join(import.meta.dirname, '..', '..', 'src', path)}`;

export interface NodeScript {
  pid: number;
  /** The next line it prints. */
  nextLine(): Promise<string>;
  exited: Promise<unknown>;
}

/** Runs a module in a Node process of its own, for what only another process can do: die, compete, own children. */
export function startScript(code: string): NodeScript {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    async nextLine() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The script ended without printing another line.');
      return value;
    },
    exited: once(child, 'exit'),
  };
}
