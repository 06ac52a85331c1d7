import { readFile, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectProcess } from './process-info.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

/** A custom setting with the process that started the postmaster, whose parent changes when that process dies. */
export const OWNER_SETTING = 'svc.owner';
const OWNER = /svc\.owner=(\d+)/;

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

/** Stops a Postgres that a killed process left behind on this data folder, with all of its backends. */
export async function stopOrphanedPostgres(dataDir: string, onProgress: (line: string) => void): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return;
  const folder = await realpath(dataDir);

  const found = await postmasterOf(folder, pid);
  if (found !== undefined) {
    if (found.hasOwner) {
      throw new StartError(
        `${dataDir} is in use by another running instance (Postgres is process ${pid}). Stop it, or set DATA_DIR to another folder.`,
      );
    }
    onProgress(`Stopping the Postgres that an earlier run left behind (process ${pid}) …`);
    process.kill(pid, 'SIGINT');
    const gone = async () => (await postmasterOf(folder, pid)) === undefined;
    if (!(await waitUntil(gone, FAST_SHUTDOWN_MS))) process.kill(pid, 'SIGQUIT');
    if (!(await waitUntil(gone, IMMEDIATE_SHUTDOWN_MS))) throw stillRunning(dataDir, pid);
  }
  // Backends outlive a killed postmaster briefly. Only after the last one has exited is the pid file stale.
  if (!(await waitUntil(async () => !(await hasBackends(folder)), IMMEDIATE_SHUTDOWN_MS)))
    throw stillRunning(dataDir, pid);
  await rm(pidFile, { force: true });
}

async function postmasterOf(folder: string, pid: number): Promise<{ hasOwner: boolean } | undefined> {
  const found = await inspectProcess(pid);
  if (found === undefined) return undefined;
  const { parent, command, cwd } = found;
  const isHere = cwd === undefined ? command.includes(`-D ${folder}`) : cwd === folder;
  if (!isHere || !/\bpostgres\b/.test(command)) return undefined;
  const owner = OWNER.exec(command)?.[1];
  return { hasOwner: owner === undefined ? parent !== 1 : Number(owner) === parent };
}

/** Whether a process of the cluster still works in the data folder. Only Linux reports the working directory. */
async function hasBackends(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => inspectProcess(Number(pid))));
  return all.some((found) => found?.cwd === folder && found.command.includes('postgres'));
}

const stillRunning = (dataDir: string, pid: number) =>
  new StartError(
    `The Postgres that an earlier run left on ${dataDir} does not stop (process ${pid}). Kill that process, then start again.`,
  );
