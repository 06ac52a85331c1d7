import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessInfo {
  parent: number;
  /** Differs between two processes with the same id, so a reused id is never mistaken for the old process. */
  startedAt: string;
  command: string;
  /** Working directory; unknown on macOS. */
  cwd: string | undefined;
}

/** Returns the system's data about a running process, or undefined if there is none. A zombie does not count. */
export function inspectProcess(pid: number): Promise<ProcessInfo | undefined> {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

async function fromProc(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const [stat, command, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program's name in brackets, which may itself contain brackets and spaces (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, startTicks] = [fields[0], fields[1], fields[19]];
    if (state === undefined || parent === undefined || startTicks === undefined || 'ZX'.includes(state))
      return undefined;
    return {
      parent: Number(parent),
      startedAt: `${boot.trim()} ${startTicks}`,
      command: command.split('\0').join(' ').trim(),
      cwd: await readlink(`/proc/${pid}/cwd`).catch(() => undefined),
    };
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,lstart=,command=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [, parent, startedAt, command] = /^\s*(\d+)\s+(\w+ +\w+ +\d+ +[\d:]+ +\d+)\s+(.*)$/m.exec(stdout) ?? [];
    if (parent === undefined || startedAt === undefined || command === undefined) return undefined;
    return { parent: Number(parent), startedAt, command, cwd: undefined };
  } catch {
    return undefined;
  }
}
