import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, open, readFile, readdir, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { freePort } from './ports.ts';
import { postgresAccount } from './postgres-account.ts';
import type { Account } from './postgres-account.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { OWNER_SETTING, stopOrphanedPostgres } from './postgres-orphan.ts';
import { runTool, lastLines } from './run-tool.ts';
import { StartError, codeOf, diskIsFull, messageOf, reportsFullDisk } from './start-error.ts';
import { untilReady } from './until-ready.ts';

export interface PostgresOptions {
  dataDir: string;
  cacheDir: string;
  /** Password of the superuser `svc`, set when the folder is created. Every later start needs the same one. */
  password: string;
  port?: number;
  settings?: Record<string, string>;
  /** False for tests: a crash of the machine may lose all data, and everything is faster. */
  durable?: boolean;
  onProgress: (line: string) => void;
  /** Called if Postgres exits after it was ready without having been stopped. */
  onUnexpectedExit?: (sentence: string) => void;
}

export interface Postgres {
  /** URL of the superuser and the database `postgres`. */
  url: string;
  host: string;
  port: number;
  pid: number;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const USER = 'svc';
const PORT_ATTEMPTS = 5;
const WITHOUT_DURABILITY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** Starts Postgres on the data folder, which is created at the first start. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const binaries = await postgresBinaries(options.cacheDir, options.onProgress);
  const account = await postgresAccount(options.dataDir);
  await ensureDataFolder(options, binaries, account);
  await stopOrphanedPostgres(options.dataDir, options.onProgress);

  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? options.port : undefined);
    const child = await launch(options, binaries, account, port);
    const url = `postgres://${USER}:${encodeURIComponent(options.password)}@${HOST}:${port}/postgres`;
    try {
      // A start after a crash first replays the write-ahead log, which can take minutes.
      await untilReady(child, () => acceptsLogin(url, options.dataDir), {
        onProgress: options.onProgress,
        whyItExited: (how) => whyItExited(how, options.dataDir),
      });
      if (options.onUnexpectedExit !== undefined) child.onUnexpectedExit(options.onUnexpectedExit);
      return { url, host: HOST, port, pid: child.pid, stop: child.stop };
    } catch (error) {
      await child.stop();
      const portWasTaken = child.lastOutput().includes('could not bind');
      if (!portWasTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** Returns a working directory and a name for a folder. Node changes into `cwd` before it drops root's rights. */
const at = (folder: string) => ({ cwd: folder, name: process.platform === 'linux' ? '/proc/self/cwd' : folder });

async function ensureDataFolder(options: PostgresOptions, binaries: string, account: Account): Promise<void> {
  const { dataDir } = options;
  const made = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const brought = /postgres-(\d+)/.exec(binaries)?.[1];
  if (made === undefined) {
    if (existsSync(dataDir) && (await readdir(dataDir)).length > 0) {
      throw new StartError(`${dataDir} contains files that are not a Postgres database. Move them, or set DATA_DIR.`);
    }
    await initialise(options, binaries, account);
  } else if (made.trim() !== brought) {
    throw new StartError(
      `${dataDir} was created by Postgres ${made.trim()}, and this version runs Postgres ${brought ?? 'of unknown version'}. Run the old version and set DATABASE_URL, or move the folder away to start empty.`,
    );
  }
}

/** Creates the database in another folder and renames it when complete, so an interruption leaves no partial one. */
async function initialise(options: PostgresOptions, binaries: string, account: Account): Promise<void> {
  const { dataDir, onProgress } = options;
  onProgress(`Creating a database in ${dataDir} …`);
  const aside = `${dataDir}.new`;
  try {
    await rm(aside, { recursive: true, force: true });
    await mkdir(dirname(dataDir), { recursive: true });
    await mkdir(aside, { mode: 0o700 });
    await handTo(account, aside);
    await initdb(options, binaries, account, aside);
    await rename(aside, dataDir);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw reportsFullDisk(messageOf(error)) ? diskIsFull(dataDir, error) : error;
  }
}

async function initdb(options: PostgresOptions, binaries: string, account: Account, aside: string): Promise<void> {
  const { cwd, name } = at(await realpath(aside));
  const stdin = await passwordFile(options.password, account);
  try {
    const args = ['-D', name, '-U', USER, '--auth=scram-sha-256', '--pwfile=/dev/stdin', '--encoding=UTF8'];
    // The builtin C.UTF-8 sorts by code point on every system, so no update of a system library can corrupt an index.
    args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    if (options.durable === false) args.push('--no-sync');
    const result = await runTool(join(binaries, 'bin', 'initdb'), args, { ...account, cwd, env: {}, stdin: stdin.fd });
    if (!result.ok) {
      throw new StartError(`A database could not be created in ${options.dataDir}: ${lastLines(result.output, 6)}`);
    }
  } finally {
    await stdin.close();
  }
}

/** Returns an unlinked file with the password for initdb, which no other account can read. */
async function passwordFile(password: string, account: Account) {
  const folder = await mkdtemp(join(tmpdir(), 'password-'));
  try {
    const path = join(folder, 'password');
    const written = await open(path, 'wx', 0o600);
    await written.writeFile(`${password}\n`);
    await written.close();
    await handTo(account, path);
    return await open(path, 'r');
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function handTo({ uid, gid }: Account, path: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

async function launch(options: PostgresOptions, binaries: string, account: Account, port: number): Promise<Child> {
  await chmod(options.dataDir, 0o700);
  const { cwd, name } = at(await realpath(options.dataDir));
  const settings = {
    listen_addresses: HOST,
    unix_socket_directories: '',
    port: String(port),
    [OWNER_SETTING]: String(process.pid),
    ...(options.durable === false ? WITHOUT_DURABILITY : {}),
    ...options.settings,
  };
  return startChild({
    name: 'Postgres',
    executable: join(binaries, 'bin', 'postgres'),
    args: ['-D', name, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    cwd,
    env: {},
    ...account,
    // Fast and immediate shutdown. SIGTERM would wait until every client disconnects.
    stopWith: [
      { signal: 'SIGINT', graceMs: 20_000 },
      { signal: 'SIGQUIT', graceMs: 5_000 },
    ],
  });
}

function whyItExited(how: string, dataDir: string): StartError {
  return reportsFullDisk(how) ? diskIsFull(dataDir) : new StartError(`Postgres did not start on ${dataDir}. ${how}`);
}

async function acceptsLogin(url: string, dataDir: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (codeOf(error) === '28P01') {
      throw new StartError(
        `${dataDir} was created with another password. Restore the password that was kept next to it, or move the folder away to start empty.`,
      );
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
