import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Report } from '../containers/report.ts';
import globalSetup from '../runner/global-setup.ts';
import { tearDown } from '../runner/global-teardown.ts';
import { YEAR } from './fates.ts';
import { growthTable } from './growth.ts';
import { CHECK_EVERY, Soak } from './soak.ts';
import { TRIALS } from './trials.ts';

/**
 * `npm run test:soak -- [connections] [years]` plays years of many connections in minutes, checks every invariant and
 * prints how the tables grew.
 */
const [connections = 2_000, years = 3] = process.argv.slice(2).map(Number);
const days = Math.round(years * YEAR);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const say = (line: string) => void process.stdout.write(`${line}\n`);
const PROGRESS_MS = 10_000;

const began = performance.now();
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`;
say(`${connections} connections, ${years} years, a drift check every ${CHECK_EVERY} days, SEED=${seed}`);
await globalSetup();
const folder = await mkdtemp(join(tmpdir(), 'soak-'));
const report = new Report();
try {
  process.env['TEMPORAL_TEST_SERVER_PATH'] = await silenced(process.env['TEMPORAL_TEST_SERVER_PATH']!);
  const soak = await Soak.open({ connections, days, seed, folder });
  const progress = setInterval(() => {
    say(`  day ${soak.day} of ${days}, ${soak.checks} checks, ${soak.time.released} locks released, ${minutes()}`);
  }, PROGRESS_MS);
  try {
    await soak.run();
    for (const [title, trial] of Object.entries(TRIALS)) await report.trial(title, () => trial(soak));
    say(`\n${growthTable(soak.years)}`);
  } finally {
    clearInterval(progress);
    await soak.close();
  }
} catch (error) {
  await report.trial('the soak runs to its end', () =>
    Promise.reject(error instanceof Error ? error : new Error(String(error))),
  );
  console.error(error);
} finally {
  await rm(folder, { recursive: true, force: true });
  await tearDown();
}
say(`\n${minutes()}, ${(process.cpuUsage().user / 60_000_000).toFixed(1)} min of processor time in the worker`);
process.exit(report.print() ? 0 : 1); // a soak that failed may have left a connection open

/** Returns the path of a program that runs the server without its output: for one lost lock it can print gigabytes. */
async function silenced(server: string): Promise<string> {
  const path = join(folder, 'quiet-server');
  await writeFile(path, `#!/bin/sh\nexec '${server}' "$@" >/dev/null 2>&1\n`, { mode: 0o755 });
  return path;
}
