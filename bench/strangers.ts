import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDatabase } from '../src/db/migrate.ts';
import { freePort } from '../src/embedded/ports.ts';
import { median } from './support/median.ts';
import { startBenchPostgres } from './support/postgres.ts';

/**
 * Measures a tenant's GET while four connections without a credential send large bodies, next to the same GET without them.
 * `node bench/strangers.ts [rounds] [folder]`; the folder of another checkout measures that checkout.
 */
const ROUNDS = Number(process.argv[2] ?? 5);
const ROOT = process.argv[3] ?? join(import.meta.dirname, '..');
const KINDS = ['nested', 'wide', 'text', 'small'] as const;
const CONNECTIONS = 4;
const ROUND_MS = 3_000;

interface Ready {
  url: string;
  key: string;
  connectionId: string;
}

interface Waits {
  p50: number;
  p99: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function timeOfGet({ url, key, connectionId }: Ready): Promise<number> {
  const began = performance.now();
  const request = get(`${url}/v1/connections/${connectionId}`, { agent, headers: { authorization: `Bearer ${key}` } });
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`The tenant was answered ${response.statusCode}.`);
  return performance.now() - began;
}

/** Sends one request after the other with a pause in between, as a backend does. */
async function measure(ready: Ready): Promise<Waits> {
  const times: number[] = [];
  for (const end = performance.now() + ROUND_MS; performance.now() < end;) {
    times.push(await timeOfGet(ready));
    await pause(5);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Measures under the flood. The flood has the lowest priority, because a real one comes from other machines. */
async function underFlood(ready: Ready, kind: string): Promise<Waits & { answered: number }> {
  const script = join(import.meta.dirname, 'support', 'flood.ts');
  const args = ['-n', '19', process.execPath, script, new URL(ready.url).port, String(CONNECTIONS), kind];
  const flood = spawn('nice', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const answered = once(flood.stdout, 'data');
  await pause(1_000);
  const waits = await measure(ready);
  flood.kill('SIGTERM');
  const [count] = (await answered) as [Buffer];
  await pause(500);
  return { ...waits, answered: Number(count.toString()) };
}

async function startServer(databaseUrl: string): Promise<{ child: ChildProcess; ready: Ready }> {
  const schema = (await import(join(ROOT, 'src/db/migrate.ts'))) as { migrate(url: string): Promise<void> };
  await schema.migrate(databaseUrl);
  const args = [join(ROOT, 'bench/support/api-server.ts'), 'service', databaseUrl, String(await freePort())];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  for await (const line of createInterface({ input: child.stdout! }))
    return { child, ready: JSON.parse(line) as Ready };
  throw new Error('The server ended before it listened.');
}

const postgres = await startBenchPostgres();
let server: ChildProcess | undefined;
try {
  const { child, ready } = await startServer(await ensureDatabase(postgres.url, 'bench'));
  server = child;
  await measure(ready);
  const table: Record<string, object> = {};
  for (const kind of KINDS) {
    const rounds: { alone: Waits; flooded: Waits & { answered: number } }[] = [];
    // The measurements alternate, so that other load on the machine affects both.
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ alone: await measure(ready), flooded: await underFlood(ready, kind) });
    const of = (read: (one: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(read)) * 100) / 100;
    table[kind] = {
      'alone p99 ms': of(({ alone }) => alone.p99),
      'flooded p99 ms': of(({ flooded }) => flooded.p99),
      'p50 ratio': of(({ alone, flooded }) => flooded.p50 / alone.p50),
      'p99 ratio': of(({ alone, flooded }) => flooded.p99 / alone.p99),
      limit: 2,
      'refused/s': Math.round(of(({ flooded }) => flooded.answered) / (ROUND_MS / 1_000 + 1)),
    };
  }
  console.table(table);
} finally {
  server?.kill();
  agent.destroy();
  await postgres.stop();
}
