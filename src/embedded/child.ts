import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { StartError, messageOf } from './start-error.ts';

export interface ChildCommand {
  name: string;
  executable: string;
  args: string[];
  cwd?: string;
  /** The complete environment, by default `plainEnvironment`. A child must not see the keys in our environment. */
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Whether other accounts may not read the files that the child creates. */
  isPrivate?: boolean;
  /** Signals in order, each after the grace period of the previous signal; finally SIGKILL to the process group. */
  stopWith: readonly StopStep[];
}

export interface StopStep {
  signal: NodeJS.Signals;
  graceMs: number;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Resolves once, with a sentence, when the process has exited in any way. */
  readonly exited: Promise<string>;
  hasExited(): boolean;
  lastOutput(): string;
  /** Time of the latest output by performance.now(), or 0 before the first output. */
  lastOutputAt(): number;
  /** Calls back if the process exits, or has exited, without having been stopped. */
  onUnexpectedExit(report: (sentence: string) => void): void;
  stop(): Promise<void>;
}

/** Number of characters of the output that are kept. */
const KEPT_OUTPUT = 4_000;

const PLAIN = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

/** Returns the part of our environment that describes this machine. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PLAIN.includes(name)));

interface RunningChild {
  pid: number;
  signal: NodeJS.Signals;
}
const running = new Set<RunningChild>();

/**
 * Starts a server in its own session. Otherwise Ctrl-C would reach all processes together, and the database would stop
 * before the code that writes to the database.
 */
export async function startChild(command: ChildCommand): Promise<Child> {
  const { name, executable, args, stopWith, env = plainEnvironment(), isPrivate = false, ...options } = command;
  // The child inherits the current umask. No other code runs until the umask is restored.
  const before = isPrivate ? process.umask(0o077) : undefined;
  const child = spawn(executable, args, { ...options, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  if (before !== undefined) process.umask(before);
  const pid = await spawned(child, name, executable);
  const output = keepLastOutput(child);
  let exit: string | undefined;
  let stopping: Promise<void> | undefined;
  let wasStopped = false;

  const runningChild = { pid, signal: stopWith[0]?.signal ?? 'SIGTERM' };
  stopWithThisProcess(runningChild);
  const exited = ended(child).then((how) => {
    running.delete(runningChild);
    exit = `${name} ended (${how}).${output.text() === '' ? '' : ` Its last output: ${output.text()}`}`;
    wasStopped = stopping !== undefined;
    return exit;
  });

  return {
    name,
    pid,
    exited,
    hasExited: () => exit !== undefined,
    lastOutput: output.text,
    lastOutputAt: output.at,
    onUnexpectedExit: (report) => {
      void exited.then((sentence) => {
        if (!wasStopped) report(sentence);
      });
    },
    stop: () => (stopping ??= stopInSteps(pid, stopWith, exited)),
  };
}

function spawned(child: ChildProcess, name: string, executable: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      if (child.pid !== undefined) resolve(child.pid);
    });
    child.once('error', (error) => {
      reject(new StartError(`${name} could not be run from ${executable}: ${messageOf(error)}.`, { cause: error }));
    });
  });
}

function keepLastOutput(child: ChildProcess): { text: () => string; at: () => number } {
  let kept = '';
  let at = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT);
      at = performance.now();
    });
  }
  return { text: () => kept.trim(), at: () => at };
}

/** Waits for the exit and, briefly, for the rest of the output: descendants may keep the pipe open. */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const how = signal ?? `exit code ${code ?? 0}`;
      const limit = setTimeout(() => resolve(how), 500);
      child.once('close', () => {
        clearTimeout(limit);
        resolve(how);
      });
    });
  });
}

async function stopInSteps(pid: number, steps: readonly StopStep[], exited: Promise<string>): Promise<void> {
  for (const { signal, graceMs } of steps) {
    send(pid, signal);
    if (await settlesWithin(exited, graceMs)) return;
  }
  send(-pid, 'SIGKILL');
  await exited;
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise: limit, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  const settled = await Promise.race([promise.then(() => true), limit]);
  clearTimeout(timer);
  return settled;
}

/** Sends a signal. A process that has already exited needs none. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process exited before our signal.
  }
}

/** Stops the child whenever this process exits, except by kill -9. After a kill -9, orphans.ts stops the child. */
function stopWithThisProcess(runningChild: RunningChild): void {
  running.add(runningChild);
  if (process.listeners('exit').includes(stopRunning)) return;
  process.once('exit', stopRunning);
}

function stopRunning(): void {
  for (const { pid, signal } of running) send(pid, signal);
}
