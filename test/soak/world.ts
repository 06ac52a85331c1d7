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
try {
  await soak.run();
  for (const [title, trial] of Object.entries(TRIALS)) await send({ title, ...(await resultOf(trial)) });
  await send({ years: soak.years });
} finally {
  clearInterval(progress);
  await soak.close();
}
process.disconnect();

async function resultOf(trial: (soak: Soak) => Promise<string>): Promise<{ ok: boolean; seen: string }> {
  try {
    return { ok: true, seen: await trial(soak) };
  } catch (error) {
    return { ok: false, seen: error instanceof Error ? error.message : String(error) };
  }
}
