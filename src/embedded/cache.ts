import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readFile, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspectProcess } from './process-info.ts';
import { codeOf, diskIsFull, messageOf, reportsFullDisk } from './start-error.ts';

const RETRY_MS = 200;

/** Returns a folder that `make` fills once for all processes, under another name first, so it is always complete. */
export async function cachedFolder(folder: string, make: (aside: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdirForAll(dirname(folder));
  const unlock = await lock(`${folder}.lock`, () => existsSync(folder));
  try {
    if (!existsSync(folder)) await makeAside(folder, make);
    return folder;
  } catch (error) {
    throw reportsFullDisk(messageOf(error)) ? diskIsFull(dirname(folder), error) : error;
  } finally {
    await unlock();
  }
}

async function makeAside(folder: string, make: (aside: string) => Promise<void>): Promise<void> {
  await removeLeftovers(folder);
  const aside = `${folder}.making-${process.pid}`;
  try {
    await mkdir(aside);
    await make(aside);
    await readableForAll(aside);
    await rename(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Deletes incomplete folders of killed processes. */
async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.making-`;
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length));
    if (pid !== process.pid && (await inspectProcess(pid)) !== undefined) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** Waits until this process has the lock or the work is done. Takes over a lock whose process died. */
async function lock(file: string, isDone: () => boolean): Promise<() => Promise<void>> {
  const me = `${process.pid} ${(await inspectProcess(process.pid))?.startedAt ?? ''}`;
  while (!isDone()) {
    try {
      const handle = await open(file, 'wx', 0o644);
      await handle.writeFile(me);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (await isAbandoned(file)) await unlink(file).catch(() => undefined);
    else await pause(RETRY_MS);
  }
  return () => Promise.resolve();
}

async function isAbandoned(file: string): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => undefined);
  if (holder === undefined) return false;
  if (holder === '') return Date.now() - (await stat(file)).mtimeMs > 10_000;
  const [pid, ...startedAt] = holder.split(' ');
  return (await inspectProcess(Number(pid)))?.startedAt !== startedAt.join(' ');
}

/** Creates a folder and its missing parents. Every account may enter them, no matter what this account's umask is. */
async function mkdirForAll(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await mkdirForAll(dirname(folder));
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Makes a folder readable for all accounts: another account runs Postgres for root. A cache contains no secrets. */
async function readableForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, runs ? 0o755 : 0o644);
  }
}
