import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { inspectProcess } from './process-info.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

/** Process ids are reused; together with the moment it started an id names one process for good. */
const Identity = z.object({ pid: z.number().int().positive(), startedAt: z.string() });
const Recorded = Identity.extend({ name: z.string(), signal: z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT']) });
const Servers = z.object({ database_url: z.string(), temporal_address: z.string() });
const RunRecord = z.object({ owner: Identity, children: z.array(Recorded), servers: Servers.optional() });

type Identity = z.infer<typeof Identity>;
export type RecordedChild = z.infer<typeof Recorded>;
type RunRecord = z.infer<typeof RunRecord>;
export type RunningServers = z.infer<typeof Servers>;

export interface Run {
  /** Remembers a child, so that the next start stops it should this process die without a chance to. */
  add(child: { name: string; pid: number; signal: RecordedChild['signal'] }): Promise<void>;
  /** Says where the servers of this run are, for commands that work beside it. */
  announce(servers: RunningServers): Promise<void>;
  /** Forgets the run, after its children were stopped. */
  release(): Promise<void>;
}

const GRACE_MS = 20_000;

/**
 * Takes the data folder for this process: refuses while another living process has it, and stops the children that a
 * process killed with kill -9 left behind.
 */
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
  // Children start side by side, and each is noted when it has started: one write at a time, each with all that is known.
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

/** The servers of the instance that runs on this folder now, if one does. */
export async function runningServers(dataDir: string): Promise<RunningServers | undefined> {
  const record = await readRecord(join(dataDir, 'run.json'));
  return record !== undefined && (await isStillRunning(record.owner)) ? record.servers : undefined;
}

/** Stops each child that still runs, the youngest first. A stranger who got a dead child's id is left alone. */
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

/** A record that is missing or cannot be read names no process: better an orphan too many than a stranger killed. */
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
