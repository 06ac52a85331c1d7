import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Count {
  passed: number;
  failed: number;
}

export const asCount = (ok: boolean): Count => (ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

export function announce(title: string): void {
  process.stdout.write(`\n> ${title}\n`);
}

/** Runs a program in the project's folder, passes its output through, and returns whether it succeeded. */
export function runStep(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', (error) => {
      process.stdout.write(`${command} could not be run: ${error.message}\n`);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Runs a command-line tool from this project's dependencies with the Node that runs this file. */
export const runNodeTool = (tool: string, args: readonly string[]): Promise<boolean> =>
  runStep(process.execPath, [join(ROOT, 'node_modules', '.bin', tool), ...args]);
