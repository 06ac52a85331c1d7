import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheDir } from '../src/embedded/places.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { load, type Load } from './support/load.ts';

/**
 * Requests per second of one API process on one core, beside the least that anybody could do: an Express handler that
 * answers with one prepared SELECT. Server on core 0; load and Postgres on the others. `node bench/api.ts [seconds]`.
 */
const SECONDS = Number(process.argv[2] ?? 8);
const SERVER = join(import.meta.dirname, 'support', 'api-server.ts');
const PIN = process.platform === 'linux' && availableParallelism() > 1;

interface Started {
  child: ChildProcess;
  /** What the server prints when it listens. */
  ready: { url: string; key: string; connectionId: string; applicationId: string };
}

async function startServer(kind: 'bare' | 'service', databaseUrl: string): Promise<Started> {
  const args = [SERVER, kind, databaseUrl, String(await freePort())];
  const [command, all] = PIN ? ['taskset', ['-c', '0', process.execPath, ...args]] : [process.execPath, args];
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, ready: JSON.parse(line) as Started['ready'] };
  throw new Error(`The ${kind} server ended before it listened.`);
}

async function measure(kind: 'bare' | 'service', databaseUrl: string, loadOf: (ready: Started['ready']) => Load) {
  const { child, ready } = await startServer(kind, databaseUrl);
  try {
    await load(loadOf(ready), 2);
    return await load(loadOf(ready), SECONDS);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

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
  const bare = await measure('bare', databaseUrl, read);
  const reading = await measure('service', databaseUrl, read);
  const creating = await measure('service', databaseUrl, create);
  console.table({
    'bare Express, one SELECT': { ...bare, ratio: 1 },
    'GET /v1/connections/{id}': { ...reading, ratio: ratio(reading.perSecond, bare.perSecond) },
    'POST /v1/connections': { ...creating, ratio: ratio(creating.perSecond, bare.perSecond) },
  });
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function ratio(ours: number, limit: number): number {
  return Math.round((ours / limit) * 100) / 100;
}
