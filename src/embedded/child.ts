import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { StartError, messageOf } from './start-error.ts';

export interface ChildCommand {
  name: string;
  executable: string;
  args: string[];
  cwd?: string;
  /** All that the server needs; without it, `plainEnvironment`. It never inherits ours, which may hold keys. */
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Whether files that it makes are closed to other accounts. */
  isPrivate?: boolean;
  /** Sent in this order, each after the one before had its time. SIGKILL to the whole group follows by itself. */
  stopWith: readonly StopStep[];
}

export interface StopStep {
  signal: NodeJS.Signals;
  graceMs: number;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Settles once, with a sentence, when the process has ended, however it ended. */
  readonly exited: Promise<string>;
  hasExited(): boolean;
  lastOutput(): string;
  /** Calls back should the process end, or have ended, without having been asked to. For the code that found it ready. */
  onUnexpectedExit(report: (sentence: string) => void): void;
  stop(): Promise<void>;
}

const KEPT_OUTPUT = 4_000;

const PLAIN = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

/** The part of our environment that says where things are on this machine, and nothing else. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PLAIN.includes(name)));

interface Life {
  pid: number;
  signal: NodeJS.Signals;
}
const living = new Set<Life>();

/**
 * Starts a server that this process owns. It gets a session of its own, because a terminal's Ctrl-C goes to the whole
 * foreground group: the database would be gone before the code that still writes to it. The owner stops its children
 * in order instead.
 */
export async function startChild(command: ChildCommand): Promise<Child> {
  const { name, executable, args, stopWith, env = plainEnvironment(), isPrivate = false, ...where } = command;
  // A child inherits the umask of the moment in which it is made, and nothing else runs in that moment.
  const before = isPrivate ? process.umask(0o077) : undefined;
  const child = spawn(executable, args, { ...where, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  if (before !== undefined) process.umask(before);
  const pid = await spawned(child, name, executable);
  const output = keepLastOutput(child);
  let exit: string | undefined;
  let stopping: Promise<void> | undefined;
  let wasAsked = false;

  const life = { pid, signal: stopWith[0]?.signal ?? 'SIGTERM' };
  stopWithThisProcess(life);
  const exited = ended(child).then((how) => {
    living.delete(life);
    exit = `${name} ended (${how}).${output() === '' ? '' : ` Its last output: ${output()}`}`;
    wasAsked = stopping !== undefined;
    return exit;
  });

  return {
    name,
    pid,
    exited,
    hasExited: () => exit !== undefined,
    lastOutput: output,
    onUnexpectedExit: (report) => {
      void exited.then((sentence) => {
        if (!wasAsked) report(sentence);
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

function keepLastOutput(child: ChildProcess): () => string {
  let kept = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT);
    });
  }
  return () => kept.trim();
}

/** Output may still be on its way when the process is gone; descendants that keep the pipe open must not hold us up. */
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

/** A process that is gone already needs no signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended between our look and our signal.
  }
}

/** The last net under every way of leaving but kill -9, for which orphans.ts is there. */
function stopWithThisProcess(life: Life): void {
  living.add(life);
  if (process.listeners('exit').includes(stopTheLiving)) return;
  process.once('exit', stopTheLiving);
}

function stopTheLiving(): void {
  for (const { pid, signal } of living) send(pid, signal);
}
