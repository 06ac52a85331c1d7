import { spawn } from 'node:child_process';
import { messageOf } from './start-error.ts';

export interface ToolOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** An open file descriptor to read from; by default there is no input. */
  stdin?: number;
}

export interface ToolResult {
  ok: boolean;
  output: string;
}

/** Runs a program to its end. A missing or failing program is a result, because callers then try another method. */
export function runTool(executable: string, args: string[], options: ToolOptions = {}): Promise<ToolResult> {
  const { stdin = 'ignore', ...where } = options;
  return new Promise((resolve) => {
    const child = spawn(executable, args, { ...where, stdio: [stdin, 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.once('error', (error) => resolve({ ok: false, output: messageOf(error) }));
    child.once('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}

/** Returns the last lines of the output, where programs report why they failed. */
export const lastLines = (output: string, count = 3): string => output.split('\n').slice(-count).join(' ').trim();
