import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheDir } from '../src/embedded/places.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { load, type Load, type Measured } from './support/load.ts';

/**
 * Requests per second of one API process on one core, beside the least that anybody could do: an Express handler that
 * answers with one prepared SELECT. Server on core 0; load and Postgres on the others. `node bench/api.ts [seconds]`.
 */
const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = 5;
const SERVER = join(import.meta.dirname, 'support', 'api-server.ts');
const CORES = availableParallelism();
const PIN = process.platform === 'linux' && CORES > 1;

interface Costs extends Measured {
  /** Processor time of the server per request. */
  cpuMicros: number;
}

interface Started {
  child: ChildProcess;
  /** What the server prints when it listens. */
  ready: { url: string; key: string; connectionId: string; applicationId: string };
}

async function startServer(kind: 'bare' | 'service', databaseUrl: string): Promise<Started> {
  const args = [SERVER, kind, databaseUrl, String(await freePort())];
  const [command, all] = PIN ? ['taskset', ['-c', '0', process.execPath, ...args]] : [process.execPath, args];
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  for await (const line of createInterface({ input: child.stdout! }))
    return { child, ready: JSON.parse(line) as Started['ready'] };
  throw new Error(`The ${kind} server ended before it listened.`);
}

/** Microseconds of processor time that the server has used, which other programs on the machine do not change. */
async function cpuTime(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [micros] = (await once(child, 'message')) as [number];
  return micros;
}

async function measure(
  kind: 'bare' | 'service',
  databaseUrl: string,
  loadOf: (ready: Started['ready']) => Load,
): Promise<Costs> {
  const { child, ready } = await startServer(kind, databaseUrl);
  try {
    await load(loadOf(ready), 2);
    const before = await cpuTime(child);
    const measured = await load(loadOf(ready), SECONDS);
    const cpuMicros = Math.round(((await cpuTime(child)) - before) / (measured.perSecond * SECONDS));
    return { ...measured, cpuMicros };
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

// What is started from here on inherits it: load and Postgres keep off the server's core.
if (PIN) spawnSync('taskset', ['-a', '-cp', `1-${CORES - 1}`, String(process.pid)]);

const folder = await mkdtemp(join(tmpdir(), 'bench-api-'));
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  cacheDir: cacheDir(),
  password: 'bench',
  durable: false,
  onProgress: () => undefined,
});
try {
  const databaseUrl = await ensureDatabase(postgres.url, 'bench');
  await migrate(databaseUrl);
  const read = ({ url, key, connectionId }: Started['ready']): Load => ({
    url: `${url}/v1/connections/${connectionId}`,
    key,
  });
  const create = ({ url, key, applicationId }: Started['ready']): Load => ({
    url: `${url}/v1/connections`,
    key,
    body: (n) => ({ application_id: applicationId, hostname: `b${process.pid}-${n}.bench-site.com` }),
  });
  // In turns, and the best of each: the one that other programs on the machine disturbed least.
  const rounds: { bare: Costs; reading: Costs }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      bare: await measure('bare', databaseUrl, read),
      reading: await measure('service', databaseUrl, read),
    });
  const creating = await measure('service', databaseUrl, create);
  const bare = best(rounds.map((round) => round.bare));
  const reading = best(rounds.map((round) => round.reading));
  console.table({
    'bare Express, one SELECT': { ...bare, ...ratios(bare, bare) },
    'GET /v1/connections/{id}': { ...reading, ...ratios(reading, bare) },
    'POST /v1/connections': { ...creating, ...ratios(creating, bare) },
  });
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function best(all: readonly Costs[]): Costs {
  return all.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
}

/** By requests, which suffer when anything else runs here, and by processor time, which is what one core is made of. */
function ratios(ours: Costs, limit: Costs): { ratio: number; cpuRatio: number } {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return { ratio: rounded(ours.perSecond / limit.perSecond), cpuRatio: rounded(limit.cpuMicros / ours.cpuMicros) };
}
