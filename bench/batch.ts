import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool } from '../src/db/pool.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { runningServers } from '../src/embedded/orphans.ts';
import { ApiUser } from '../test/support/fixtures/api-user.ts';
import { Service } from '../test/support/fixtures/service.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import { median } from './support/median.ts';
import { table } from './support/process-cost.ts';

/**
 * Measures whether one tenant's batch delays another tenant. One call creates a thousand sandbox hostnames. Until all are
 * live, another tenant connects single hostnames one after the other, and their time is compared with the time on an idle
 * service. The whole service runs on this machine, including Postgres and Temporal.
 *   npm run bench:batch [names]
 */
const SIZE = Number(process.argv[2] ?? 1_000);
const ALONE = 8;
const GOAL_RATIO = 2;

const service = await Service.start(join(await tempFolder(), 'data'), { EDGE: 'off' });
const servers = await runningServers(service.dataDir);
const pool = await createPool(servers?.database_url ?? '', { max: 2, name: 'bench' });
try {
  const { base_url, test } = await service.demo();
  const importing = new ApiUser(base_url, test);
  const other = new ApiUser(base_url, (await createTenant(pool, 'Other')).test);
  await single(other); // warms everything up
  const alone: number[] = [];
  for (let i = 0; i < ALONE; i++) alone.push(await single(other));

  const began = performance.now();
  const hostnames = Array.from({ length: SIZE }, () => name());
  const { status, body } = await importing.call('POST', '/batches', { application_id: test.application_id, hostnames });
  if (status !== 201) throw new Error(`POST /batches answered ${status}: ${JSON.stringify(body)}`);
  const answered = performance.now() - began;
  const progress = async () => (await importing.call('GET', `/batches/${String(body['batch_id'])}`)).body;
  const meanwhile: number[] = [];
  let batch = await progress();
  while (batch['completed_at'] === null) {
    await pause(1_000); // lets the batch return to its full speed
    meanwhile.push(await single(other));
    batch = await progress();
    process.stderr.write(`${Math.round((performance.now() - began) / 1_000)} s  ${JSON.stringify(batch['states'])}\n`);
  }
  const lasted = performance.now() - began;

  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const ratio = median(meanwhile) / median(alone);
  const slowest = (times: number[]) => Math.max(...times);
  table(`${SIZE} names by one call, and another tenant's single names meanwhile`, [
    ['', 'ours', 'limit', 'ratio'],
    ['the call is answered', seconds(answered), '', ''],
    [`all ${SIZE} are live`, seconds(lasted), '', `${((1_000 * SIZE) / lasted).toFixed(0)} a second`],
    ['a single name, alone (median)', seconds(median(alone)), '', ''],
    ['a single name, alone (slowest)', seconds(slowest(alone)), '', ''],
    [
      `meanwhile (median of ${meanwhile.length})`,
      seconds(median(meanwhile)),
      seconds(GOAL_RATIO * median(alone)),
      ratio.toFixed(2),
    ],
    ['meanwhile (slowest)', seconds(slowest(meanwhile)), '', (slowest(meanwhile) / median(alone)).toFixed(2)],
  ]);
  process.exitCode = ratio <= GOAL_RATIO ? 0 : 1;
} finally {
  await pool.end();
  await service.stop();
}

function name(): string {
  return `n${randomBytes(6).toString('hex')}.auto.test`;
}

/** Returns the time from the create request until a reader sees the connection live. */
async function single(user: ApiUser): Promise<number> {
  const began = performance.now();
  const id = await user.connect(name());
  while ((await user.call('GET', `/connections/${id}`)).body['state'] !== 'live') await pause(20);
  return performance.now() - began;
}
