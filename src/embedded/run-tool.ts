import { spawn } from 'node:child_process';
import { messageOf } from './start-error.ts';

export interface ToolOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** An open file descriptor to read from; nothing by default. */
  stdin?: number;
}

export interface ToolResult {
  ok: boolean;
  output: string;
}

/** Runs a program to its end. A program that is missing or fails is a result, not an exception: callers go on to the next way. */
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

/** The last lines of a tool's output, where programs say why they failed. */
export const lastLines = (output: string, count = 3): string => output.split('\n').slice(-count).join(' ').trim();
