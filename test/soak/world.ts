import type { YearEnd } from './growth.ts';
import { Soak } from './soak.ts';
import { TRIALS } from './trials.ts';

/** A world that `run.ts` plays in a process of its own: Temporal's test server, a database, workers and connections. */
export interface World {
  seed: number;
  connections: number;
  days: number;
  folder: string;
}

/** Messages of the process: how far it is, each trial, and at the end how the tables grew. */
export type WorldMessage =
  { day: number; checks: number } | { title: string; ok: boolean; seen: string } | { years: readonly YearEnd[] };

const PROGRESS_MS = 10_000;

const send = (message: WorldMessage) =>
  new Promise<void>((resolve, reject) =>
    process.send!(message, (error: Error | null) => (error === null ? resolve() : reject(error))),
  );

const soak = await Soak.open(JSON.parse(process.argv[2] ?? '') as World);
const progress = setInterval(() => void send({ day: soak.day, checks: soak.checks }), PROGRESS_MS);
await soak.run();
clearInterval(progress);
for (const [title, trial] of Object.entries(TRIALS)) {
  try {
    await send({ title, ok: true, seen: await trial(soak) });
  } catch (error) {
    await send({ title, ok: false, seen: String(error) });
  }
}
await send({ years: soak.years });
await soak.close();
process.exit(0);
