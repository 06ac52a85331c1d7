import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runningServers } from '../src/embedded/orphans.ts';
import { Service } from '../test/support/fixtures/service.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import { startInternetLab } from '../test/support/fixtures/internet-lab.ts';
import { table } from './support/process-cost.ts';

/**
 * Measures how long a customer waits: from the moment the TXT record is published at the zone's own server until the
 * connection is verified, with many connections waiting in parallel. The whole service runs, against a real name server.
 *   node bench/verified.ts [connections]
 */
const SIZE = Number(process.argv[2] ?? 100);
const GOAL_SECONDS = 6;
const LIMIT_MS = 60_000;

const folder = await tempFolder();
const internet = await startInternetLab();
const service = await Service.start(join(folder, 'data'), { ...internet.env, RATE_LIMIT_KEY: '0' });
const servers = await runningServers(service.dataDir);
const database = new pg.Client({ connectionString: servers?.database_url });
await database.connect();
try {
  const domain = await internet.domain();
  const ids = [];
  for (let i = 0; i < SIZE; i++) ids.push(await service.connect(`shop-${i}.${domain}`));
  await until('SELECT count(*)::int AS n FROM checks WHERE last_checked_at IS NOT NULL', SIZE);

  const { rows } = await database.query<{ id: string; hostname: string; challenge_token: string }>(
    'SELECT id, hostname, challenge_token FROM connections',
  );
  const publishedAt = new Map<string, number>();
  for (const { id, hostname, challenge_token } of rows) {
    await internet.powerdns.set(domain, `_service-challenge.${hostname}`, 'TXT', `"${challenge_token}"`);
    publishedAt.set(id, Date.now());
  }
  const waits = await waitsOf(publishedAt);
  const at = (share: number) => (waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] ?? NaN) / 1_000;
  table(`From the published record to verified, ${SIZE} connections in parallel`, [
    ['', 'ours', 'goal', 'ratio'],
    ['p50', `${at(0.5).toFixed(1)} s`, '', ''],
    ['p95', `${at(0.95).toFixed(1)} s`, `${GOAL_SECONDS} s`, (at(0.95) / GOAL_SECONDS).toFixed(2)],
  ]);
} finally {
  await database.end();
  await service.stop();
  await internet.stop();
}

/** Polls ten times a second from outside, so it returns the waits that a caller of the API would see. */
async function waitsOf(publishedAt: ReadonlyMap<string, number>): Promise<number[]> {
  const waits = new Map<string, number>();
  const end = Date.now() + LIMIT_MS;
  while (waits.size < publishedAt.size && Date.now() < end) {
    const { rows } = await database.query<{ id: string }>(
      "SELECT connection_id AS id FROM events WHERE type = 'domain.verified'",
    );
    for (const { id } of rows) if (!waits.has(id)) waits.set(id, Math.max(0, Date.now() - (publishedAt.get(id) ?? 0)));
    await pause(100);
  }
  return [...waits.values()].sort((a, b) => a - b);
}

async function until(query: string, n: number): Promise<void> {
  while ((await database.query<{ n: number }>(query)).rows[0]?.n !== n) await pause(200);
}
