import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../src/embedded/ports.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { median } from './support/median.ts';
import { load, type Load, type Measured } from './support/load.ts';
import { startBenchPostgres } from './support/postgres.ts';

/**
 * Measures requests per second of one API process on one core, next to the minimum: an Express handler that answers with
 * one prepared SELECT. The server runs on core 0, load and Postgres on the others. `node bench/api.ts [seconds]`.
 */
const SECONDS = Number(process.argv[2] ?? 2);
const ROUNDS = 15;
const WARM_UP_SECONDS = 3;
const SERVER = join(import.meta.dirname, 'support', 'api-server.ts');
const CORES = availableParallelism();
const PIN = process.platform === 'linux' && CORES > 1;

interface Costs extends Measured {
  /** Processor time of the server per request. */
  cpuMicros: number;
}

interface Started {
  child: ChildProcess;
  /** The line that the server prints when it listens. */
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

/** Returns the microseconds of processor time that the server has used. Other programs on the machine do not affect it. */
async function cpuTime(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [micros] = (await once(child, 'message')) as [number];
  return micros;
}

async function measure({ child }: Started, loaded: Load, seconds: number): Promise<Costs> {
  const before = await cpuTime(child);
  const measured = await load(loaded, seconds);
  const cpuMicros = Math.round(((await cpuTime(child)) - before) / (measured.perSecond * seconds));
  return { ...measured, cpuMicros };
}

// Processes started from here on inherit the affinity, so load and Postgres stay off the server's core.
if (PIN) spawnSync('taskset', ['-a', '-cp', `1-${CORES - 1}`, String(process.pid)]);

const started: Started[] = [];
const postgres = await startBenchPostgres();
try {
  const databaseUrl = await ensureDatabase(postgres.url, 'bench');
  await migrate(databaseUrl);
  const bare = await startServer('bare', databaseUrl);
  const service = await startServer('service', databaseUrl);
  started.push(bare, service);
  const reading = ({ ready: { url, key, connectionId } }: Started): Load => ({
    url: `${url}/v1/connections/${connectionId}`,
    key,
  });
  const creating = ({ ready: { url, key, applicationId } }: Started): Load => ({
    url: `${url}/v1/connections`,
    key,
    body: (n) => ({ application_id: applicationId, hostname: `b${process.pid}-${n}.bench-site.com` }),
  });
  for (const server of [bare, service]) await measure(server, reading(server), WARM_UP_SECONDS);
  // The servers alternate, so that other load on the machine affects both.
  const rounds: { limit: Costs; read: Costs }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      limit: await measure(bare, reading(bare), SECONDS),
      read: await measure(service, reading(service), SECONDS),
    });
  const limit = middle(rounds.map((round) => round.limit));
  const created = await measure(service, creating(service), SECONDS * 3);
  console.table({
    'bare Express, one SELECT': { ...limit, ...ratios([{ limit, ours: limit }]) },
    'GET /v1/connections/{id}': {
      ...middle(rounds.map((round) => round.read)),
      ...ratios(rounds.map((round) => ({ limit: round.limit, ours: round.read }))),
    },
    'POST /v1/connections': { ...created, ...ratios([{ limit, ours: created }]) },
  });
} finally {
  for (const { child } of started) child.kill();
  await postgres.stop();
}

function middle(all: readonly Costs[]): Costs {
  const of = (read: (one: Costs) => number) => median(all.map(read));
  return {
    perSecond: of((one) => one.perSecond),
    p50ms: of((one) => one.p50ms),
    p99ms: of((one) => one.p99ms),
    failed: all.reduce((sum, one) => sum + one.failed, 0),
    cpuMicros: of((one) => one.cpuMicros),
  };
}

/** Returns the ratio by requests, which other load on the machine lowers, and by processor time, which it does not. */
function ratios(rounds: readonly { ours: Costs; limit: Costs }[]): { ratio: number; cpuRatio: number } {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    ratio: rounded(median(rounds.map(({ ours, limit }) => ours.perSecond / limit.perSecond))),
    cpuRatio: rounded(median(rounds.map(({ ours, limit }) => limit.cpuMicros / ours.cpuMicros))),
  };
}
