import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { inspectProcess } from './process-info.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

/** Identifies a process. Process ids are reused, but an id and a start time together are unique. */
const Identity = z.object({ pid: z.number().int().positive(), startedAt: z.string() });
const Recorded = Identity.extend({ name: z.string(), signal: z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT']) });
const Servers = z.object({ database_url: z.string(), temporal_address: z.string() });
const RunRecord = z.object({ owner: Identity, children: z.array(Recorded), servers: Servers.optional() });

type Identity = z.infer<typeof Identity>;
export type RecordedChild = z.infer<typeof Recorded>;
type RunRecord = z.infer<typeof RunRecord>;
export type RunningServers = z.infer<typeof Servers>;

export interface Run {
  /** Records a child, so that the next start stops it if this process dies. */
  add(child: { name: string; pid: number; signal: RecordedChild['signal'] }): Promise<void>;
  /** Publishes the addresses of the servers, for commands that run alongside. */
  announce(servers: RunningServers): Promise<void>;
  /** Deletes the record of the run, after its children were stopped. */
  release(): Promise<void>;
}

const GRACE_MS = 20_000;

/** Claims the data folder, unless another living process has it, and stops the children of a killed process. */
export async function claimRun(dataDir: string, onProgress: (line: string) => void): Promise<Run> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'run.json');
  const before = await readRecord(file);
  if (before !== undefined) {
    if (before.owner.pid !== process.pid && (await isStillRunning(before.owner))) {
      throw new StartError(
        `${dataDir} is in use by another running instance (process ${before.owner.pid}). Stop it, or set DATA_DIR to another folder.`,
      );
    }
    await stopOrphans(before.children, onProgress);
  }
  const record: RunRecord = { owner: await identify(process.pid), children: [] };
  // Children start concurrently. Writes happen one at a time, each with the complete record.
  let written = writeRecord(file, record);
  const write = (): Promise<void> => (written = written.then(() => writeRecord(file, record)));
  await written;
  return {
    async add({ name, pid, signal }) {
      record.children.push({ name, signal, ...(await identify(pid)) });
      await write();
    },
    async announce(servers) {
      record.servers = servers;
      await write();
    },
    release: () => rm(file, { force: true }),
  };
}

/** Returns the servers of the instance that runs on this folder now, if there is one. */
export async function runningServers(dataDir: string): Promise<RunningServers | undefined> {
  const record = await readRecord(join(dataDir, 'run.json'));
  return record !== undefined && (await isStillRunning(record.owner)) ? record.servers : undefined;
}

/** Stops each child that still runs, youngest first. An unrelated process with a dead child's id is left alone. */
export async function stopOrphans(
  children: readonly RecordedChild[],
  onProgress: (line: string) => void,
  graceMs = GRACE_MS,
): Promise<void> {
  for (const child of children.toReversed()) {
    if (!(await isStillRunning(child))) continue;
    onProgress(`Stopping ${child.name}, which an earlier run left behind (process ${child.pid}) …`);
    process.kill(child.pid, child.signal);
    const gone = async () => !(await isStillRunning(child));
    if (await waitUntil(gone, graceMs)) continue;
    process.kill(child.pid, 'SIGKILL');
    await waitUntil(gone, graceMs);
  }
}

async function isStillRunning({ pid, startedAt }: Identity): Promise<boolean> {
  return (await inspectProcess(pid))?.startedAt === startedAt;
}

async function identify(pid: number): Promise<Identity> {
  return { pid, startedAt: (await inspectProcess(pid))?.startedAt ?? 'unknown' };
}

/** Reads the record; undefined if it is unreadable, because a leftover child is better than a killed stranger. */
async function readRecord(file: string): Promise<RunRecord | undefined> {
  try {
    return RunRecord.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function writeRecord(file: string, record: RunRecord): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
