import { createPool, type Pool } from '../../src/db/pool.ts';
import { pauseProvider, resumeProvider } from '../../src/db/zone/paused-providers.ts';
import { pauseCheckIn } from '../../src/provisioning/pause-check.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'pauses' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const pause = (provider: string) =>
  pool.transaction((tx) => pauseProvider(tx, { provider, reason: 'loses records', paused_at: new Date() }));

test('a pause takes effect within a second, and a resume immediately', async () => {
  let now = 0;
  const isPaused = pauseCheckIn(pool, () => now);
  expect(await isPaused('cloudflare')).toBe(false);
  await pause('cloudflare');
  now = 999;
  expect(await isPaused('cloudflare')).toBe(false);
  now = 1_000;
  expect(await Promise.all([isPaused('cloudflare'), isPaused('cloudflare'), isPaused('vultr')])).toEqual([
    true,
    true,
    false,
  ]);
  await pool.transaction((tx) => resumeProvider(tx, 'cloudflare'));
  expect(await isPaused('cloudflare')).toBe(false);
});

test('a process that asks for the first time sees a pause immediately', async () => {
  await pause('hetzner');
  expect(await pauseCheckIn(pool)('hetzner')).toBe(true);
});
