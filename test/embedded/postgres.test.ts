import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { cacheDir } from '../../src/embedded/folders.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import type { Postgres, PostgresOptions } from '../../src/embedded/postgres.ts';
import { inspectProcess } from '../../src/embedded/process-info.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { source, startScript } from '../support/node-script.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PASSWORD = 'correct horse';
const running: Postgres[] = [];

async function start(dataDir: string, options: Partial<PostgresOptions> = {}): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir,
    cacheDir: cacheDir(),
    password: PASSWORD,
    durable: false,
    onProgress: () => undefined,
    ...options,
  });
  running.push(postgres);
  return postgres;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
});

/** As root, the database runs under another account, which cannot enter the temporary folder (0700). */
test('a data folder below a private folder works, and no other account can read the data', async () => {
  const dataDir = join(await tempFolder(), 'deeper', 'postgres');

  const { url } = await start(dataDir);

  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const { mode, uid } = await stat(dataDir);
  expect(mode & 0o777).toBe(0o700);
  expect(uid === 0).toBe(false);
});

test('a second start finds the data of the first', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  const first = await start(dataDir);
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();

  const second = await start(dataDir);

  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a login needs the password, and a start with another password reports that', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  const first = await start(dataDir);
  await expect(query(first.url.replace('correct', 'wrong'), 'SELECT 1')).rejects.toThrow('authentication failed');
  await first.stop();

  await expect(start(dataDir, { password: 'another' })).rejects.toThrow('was created with another password');
});

test('text sorts by code point, in any locale of the machine', async () => {
  const { url } = await start(join(await tempFolder(), 'postgres'));

  expect(await query(url, "SELECT v FROM unnest(array['b', 'ä', 'a', 'B']) v ORDER BY v")).toEqual(
    ['B', 'a', 'b', 'ä'].map((v) => ({ v })),
  );
});

test('if the wanted port is taken, another port below 32768 is chosen', async () => {
  const occupied = createServer().listen(await freePort(), '127.0.0.1');
  await once(occupied, 'listening');
  const { port: taken } = occupied.address() as AddressInfo;

  const { port } = await start(join(await tempFolder(), 'postgres'), { port: taken });

  expect(port).not.toBe(taken);
  expect(port).toBeLessThan(32_768);
  occupied.close();
});

test('an interrupted first start is not mistaken for a database', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  await mkdir(`${dataDir}.new`);
  await writeFile(join(`${dataDir}.new`, 'PG_VERSION'), '18\n');

  const { url } = await start(dataDir);

  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a folder with foreign files is refused and left unchanged', async () => {
  const dataDir = await tempFolder();
  await writeFile(join(dataDir, 'diary.txt'), 'Dear diary');

  await expect(start(dataDir)).rejects.toThrow('contains files that are not a Postgres database');
});

test('the Postgres of a killed process is stopped, and its data is kept', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  const owner = startScript(`
    import { startPostgres } from '${source('embedded/postgres.ts')}';
    const options = ${JSON.stringify({ dataDir, cacheDir: cacheDir(), password: PASSWORD, durable: false })};
    const { pid, url } = await startPostgres({ ...options, onProgress: () => undefined });
    console.log(pid);
    console.log(url);
  `);
  const orphan = Number(await owner.nextLine());
  await query(await owner.nextLine(), 'CREATE TABLE kept AS SELECT 42 AS answer');
  process.kill(owner.pid, 'SIGKILL');
  await owner.exited;
  expect(await inspectProcess(orphan)).toBeDefined();

  const { url } = await start(dataDir);

  expect(await inspectProcess(orphan)).toBeUndefined();
  expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a Postgres whose owner still runs is not stopped by a second start', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  const first = await start(dataDir);

  await expect(start(dataDir)).rejects.toThrow(`in use by another running instance (Postgres is process ${first.pid})`);

  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an unrelated process with the id of the dead postmaster neither prevents the start nor is stopped', async () => {
  const dataDir = join(await tempFolder(), 'postgres');
  await (await start(dataDir)).stop();
  const { uid, gid } = await stat(dataDir);
  const stranger = spawn('sleep', ['60'], { uid, gid });
  await writeFile(join(dataDir, 'postmaster.pid'), `${stranger.pid!}\n${dataDir}\n`);

  const { url } = await start(dataDir);

  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await inspectProcess(stranger.pid!)).toBeDefined();
  stranger.kill('SIGKILL');
});
