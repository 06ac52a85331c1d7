import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Returns the URL of a source file, for the scripts below. */
export const source = (path: string): string => `file://${join(import.meta.dirname, '..', '..', 'src', path)}`;

export interface NodeScript {
  pid: number;
  /** Returns the next line that the script prints. */
  nextLine(): Promise<string>;
  exited: Promise<unknown>;
}

/** Runs a module in a separate Node process, for tests that need another process to die, compete or own children. */
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
