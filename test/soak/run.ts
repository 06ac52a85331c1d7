import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Report } from '../containers/report.ts';
import globalSetup from '../runner/global-setup.ts';
import { tearDown } from '../runner/global-teardown.ts';
import { YEAR } from './fates.ts';
import { growthTable, ofAllWorlds, type YearEnd } from './growth.ts';
import { CHECK_EVERY } from './soak.ts';
import type { WorldMessage, World } from './world.ts';

/**
 * `npm run test:soak -- [connections] [years]` plays years of many connections by skipping time, checks every invariant
 * and prints how the tables grew.
 */
const [connections = 2_000, years = 3] = process.argv.slice(2).map(Number);
const days = Math.round(years * YEAR);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/**
 * Connections of a world. The test server keeps a list of everything that ever locked its clock, and searches it several
 * times for each task. With twice as many connections a world would take almost four times as long.
 */
const WORLD = 100;

const began = performance.now();
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const report = new Report();
const ended: (readonly YearEnd[])[] = [];
const worlds = Math.ceil(connections / WORLD);

say(`${connections} connections in ${worlds} worlds, ${years} years, a drift check every ${CHECK_EVERY} days, SEED=${seed}`); // prettier-ignore
await globalSetup();
const folder = await mkdtemp(join(tmpdir(), 'soak-'));
try {
  process.env['TEMPORAL_TEST_SERVER_PATH'] = await silenced(process.env['TEMPORAL_TEST_SERVER_PATH']!);
  const waiting = Array.from({ length: worlds }, (_, n) => n).values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const n of waiting) await play(n);
    }),
  );
  if (ended.length > 0) say(`\n${growthTable(ofAllWorlds(ended))}`);
} finally {
  await rm(folder, { recursive: true, force: true });
  await tearDown();
}
say(`\n${minutes()}`);
process.exitCode = report.print() ? 0 : 1;

/** Plays a world in a process of its own, and reports its messages. */
async function play(n: number): Promise<void> {
  const name = `world ${n + 1}`;
  const world: World = {
    seed: seed + n,
    connections: Math.min(WORLD, connections - n * WORLD),
    days,
    folder: await mkdtemp(join(folder, 'world-')),
  };
  const child = fork(join(import.meta.dirname, 'world.ts'), [JSON.stringify(world)], { serialization: 'advanced' });
  child.on('message', (message: WorldMessage) => {
    if ('day' in message) say(`  ${name} of ${worlds}: day ${message.day} of ${days}, ${message.checks} checks, ${minutes()}`);
    else if ('years' in message) ended.push(message.years);
    else void report.trial(`${name}: ${message.title}`, () => (message.ok ? Promise.resolve(message.seen) : Promise.reject(new Error(message.seen)))); // prettier-ignore
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0)
    await report.trial(`${name}: it is played to its end`, () =>
      Promise.reject(new Error(`The process ended by ${signal ?? `code ${code}`}; its last words are above.`)),
    );
}

/** Returns the path of a program that runs the server without its output: for one lost lock it can print gigabytes. */
async function silenced(server: string): Promise<string> {
  const path = join(folder, 'quiet-server');
  await writeFile(path, `#!/bin/sh\nexec '${server}' "$@" >/dev/null 2>&1\n`, { mode: 0o755 });
  return path;
}
