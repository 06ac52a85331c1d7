import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { until } from '../support/until.ts';
import type { TrialNetwork } from './network.ts';

/** A request: `seen` is its status or error, null until it has ended. */
const Shot = z.object({ id: z.string(), kind: z.enum(['api', 'site']), at: z.number(), seen: z.string().nullable() });
type Shot = z.infer<typeof Shot>;

export interface Answers {
  sent: number;
  /** Errors and statuses from 500 on, with how often each was seen. */
  failed: Map<string, number>;
}

/** Requests to the API and to a site at a steady rate, while a trial does something to the containers. */
export class SteadyLoad {
  private readonly shots = new Map<string, Shot>();
  private readonly child: ChildProcess;

  constructor(network: TrialNetwork, options: { url: string; key: string; hostname: string; ca: string }) {
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const command = network.command(process.execPath, [join(import.meta.dirname, 'load.ts'), ...args]);
    this.child = spawn(...command, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      const shot = Shot.parse(JSON.parse(line));
      this.shots.set(shot.id, shot);
    });
  }

  /** Returns the requests that were sent while `body` ran, by kind, when all of them have ended. */
  async during(body: () => Promise<void>): Promise<Record<Shot['kind'], Answers>> {
    const from = Date.now();
    await body();
    const to = Date.now();
    const sent = () => [...this.shots.values()].filter(({ at }) => at >= from && at <= to);
    await until(() => sent().every(({ seen }) => seen !== null), 30_000);
    const shots = sent();
    return { api: answersOf(shots, 'api'), site: answersOf(shots, 'site') };
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

function answersOf(shots: readonly Shot[], kind: Shot['kind']): Answers {
  const seen = shots.flatMap((shot) => (shot.kind === kind && shot.seen !== null ? [shot.seen] : []));
  const failed = new Map<string, number>();
  for (const one of seen.filter((text) => !/^[234]\d\d$/.test(text))) failed.set(one, (failed.get(one) ?? 0) + 1);
  return { sent: seen.length, failed };
}
