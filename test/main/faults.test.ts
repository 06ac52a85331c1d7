import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runningServers } from '../../src/embedded/orphans.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Delays until the process dies, spread over the second or two that a sandbox connection needs to go live. */
const DEATHS_MS = process.env['TRIES'] === 'all' ? [20, 150, 300, 500, 800] : [20, 300, 800];

test('killed at any moment, the service brings each of many connections live with every event once', async () => {
  const dataDir = await tempFolder();
  const ids: string[] = [];
  for (const delay of DEATHS_MS) {
    const service = await Service.start(dataDir);
    for (let i = 0; i < 4; i++) ids.push(await service.connect(`${randomUUID().slice(0, 8)}.auto.test`));
    await pause(delay);
    await service.stop('SIGKILL');
  }
  const service = await Service.start(dataDir);
  try {
    for (const id of ids) await service.untilLive(id);
    const servers = await runningServers(dataDir);
    const database = new pg.Client({ connectionString: servers!.database_url });
    await database.connect();
    const { rows } = await database.query<{ types: string[] }>(
      'SELECT array_agg(type ORDER BY sequence) AS types FROM events GROUP BY connection_id',
    );
    const moves = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM timeline WHERE from_state <> to_state GROUP BY connection_id',
    );
    await database.end();
    expect(rows).toHaveLength(ids.length);
    for (const { types } of rows)
      expect(types).toEqual(['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed']);
    for (const { n } of moves.rows) expect(n).toBe(5);
  } finally {
    await service.stop();
  }
}, 180_000);
