import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openTemporal } from '../src/temporal/client.ts';
import { runningServers } from '../src/embedded/orphans.ts';
import { connectionWorkflowId } from '../workflows/messages.ts';
import { Service } from '../test/support/fixtures/service.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import { costByProgram, table } from './support/process-cost.ts';

/**
 * Measures what a connection costs from create to live: processor time of the whole service, by program, and events in its
 * history. It creates sandbox hostnames in parallel on the service as `npm start` runs it, without webhook receivers.
 *   node bench/live.ts [connections]
 */
const SIZE = Number(process.argv[2] ?? 60);
const GOAL = { cpuMs: 180, events: 30, perSecond: 10 };

const service = await Service.start(join(await tempFolder(), 'data'));
const servers = (await runningServers(service.dataDir))!;
const database = new pg.Client({ connectionString: servers.database_url });
await database.connect();
try {
  // The demo's receiver gets every event. bench/webhooks.ts measures the cost of events.
  await database.query('DELETE FROM webhook_endpoints');
  await bringLive(10, 'warm'); // fills caches and compiles code, which a connection does not pay for
  const before = costByProgram(service.pid);
  const began = performance.now();
  await bringLive(SIZE, 'live');
  const seconds = (performance.now() - began) / 1_000;
  const after = costByProgram(service.pid);
  const each = [...after].map(([name, ms]) => ({ name, ms: (ms - (before.get(name) ?? 0)) / SIZE }));
  const total = each.reduce((sum, { ms }) => sum + ms, 0);
  const events = await eventsEach();
  table(`From create to live, ${SIZE} connections in parallel`, [
    ['', 'a connection', 'goal', 'ratio'],
    ...each.filter(({ ms }) => ms >= 0.5).map(({ name, ms }) => [`  ${name}`, `${ms.toFixed(1)} ms`, '', '']),
    ['processor time', `${total.toFixed(0)} ms`, `${GOAL.cpuMs} ms`, (total / GOAL.cpuMs).toFixed(2)],
    ['history', `${events} events`, `${GOAL.events}`, (events / GOAL.events).toFixed(2)],
    [
      'live a second',
      (SIZE / seconds).toFixed(1),
      String(GOAL.perSecond),
      (SIZE / seconds / GOAL.perSecond).toFixed(2),
    ],
  ]);
} finally {
  await database.end();
  await service.stop();
}

async function bringLive(count: number, label: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => service.connect(`${label}-${i}.auto.test`)));
  for (;;) {
    const { rows } = await database.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM connections WHERE state = 'live' AND hostname LIKE $1",
      [`${label}-%`],
    );
    if ((rows[0]?.n ?? 0) >= count) return;
    await pause(100);
  }
}

/** Returns the median length of all histories. */
async function eventsEach(): Promise<number> {
  const temporal = openTemporal({ TEMPORAL_ADDRESS: servers.temporal_address }, '');
  const { rows } = await database.query<{ id: string; hostname: string }>(
    "SELECT id, hostname FROM connections WHERE hostname LIKE 'live-%'",
  );
  const lengths = await Promise.all(
    rows.map(async (row) => {
      const { historyLength } = await temporal.client.workflow.getHandle(connectionWorkflowId(row)).describe();
      return historyLength;
    }),
  );
  await temporal.connection.close();
  return lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
}
