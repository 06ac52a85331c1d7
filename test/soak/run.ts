import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Report } from '../containers/report.ts';
import globalSetup from '../runner/global-setup.ts';
import { tearDown } from '../runner/global-teardown.ts';
import { YEAR } from './fates.ts';
import { growthTable, ofAllWorlds, type YearEnd } from './growth.ts';
import { CHECK_EVERY, Soak } from './soak.ts';
import { TRIALS } from './trials.ts';

/**
 * `npm run test:soak -- [connections] [years]` plays years of many connections in minutes, checks every invariant and
 * prints how the tables grew.
 */
const [connections = 2_000, years = 3] = process.argv.slice(2).map(Number);
const days = Math.round(years * YEAR);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/**
 * Connections of a world, which has a Temporal server, a database and workers of its own. The test server keeps a list
 * of everything that ever locked its clock, and searches it several times for each task. With twice as many connections
 * a world would take almost four times as long.
 */
const WORLD = 100;
const PROGRESS_MS = 10_000;

const began = performance.now();
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const report = new Report();
const ended: YearEnd[][] = [];
const worlds = Array.from({ length: Math.ceil(connections / WORLD) }, (_, n) => ({
  title: `world ${n + 1}`,
  seed: seed + n,
  connections: Math.min(WORLD, connections - n * WORLD),
}));

say(`${connections} connections in ${worlds.length} worlds, ${years} years, a drift check every ${CHECK_EVERY} days, SEED=${seed}`); // prettier-ignore
await globalSetup();
const folder = await mkdtemp(join(tmpdir(), 'soak-'));
try {
  process.env['TEMPORAL_TEST_SERVER_PATH'] = await silenced(process.env['TEMPORAL_TEST_SERVER_PATH']!);
  const waiting = worlds.values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const world of waiting) await play(world);
    }),
  );
  if (ended.length > 0) say(`\n${growthTable(ofAllWorlds(ended))}`);
} finally {
  await rm(folder, { recursive: true, force: true });
  await tearDown();
}
say(`\n${minutes()}, ${(process.cpuUsage().user / 60_000_000).toFixed(1)} min of processor time in the workers`);
process.exit(report.print() ? 0 : 1); // a soak that failed may have left a connection open

async function play(world: (typeof worlds)[number]): Promise<void> {
  try {
    const soak = await Soak.open({ ...world, days, folder: await mkdtemp(join(folder, 'world-')) });
    const progress = setInterval(() => {
      say(`  ${world.title} of ${worlds.length}: day ${soak.day} of ${days}, ${soak.checks} checks, ${minutes()}`);
    }, PROGRESS_MS);
    try {
      await soak.run();
      for (const [title, trial] of Object.entries(TRIALS))
        await report.trial(`${world.title}: ${title}`, () => trial(soak));
      ended.push(soak.years);
    } finally {
      clearInterval(progress);
      await soak.close();
    }
  } catch (error) {
    console.error(error);
    const reason = error instanceof Error ? error : new Error(String(error));
    await report.trial(`${world.title}: the soak runs to its end`, () => Promise.reject(reason));
  }
}

/** Returns the path of a program that runs the server without its output: for one lost lock it can print gigabytes. */
async function silenced(server: string): Promise<string> {
  const path = join(folder, 'quiet-server');
  await writeFile(path, `#!/bin/sh\nexec '${server}' "$@" >/dev/null 2>&1\n`, { mode: 0o755 });
  return path;
}
