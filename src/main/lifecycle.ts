import type { Logger } from '../log.ts';

/** Something that runs until it is told to stop. */
export interface Running {
  name: string;
  stop(): Promise<void>;
}

/**
 * What a process runs, stopped in the reverse order of its start: nothing loses what it stands on while it still works.
 */
export class Lifecycle {
  private readonly running: Running[] = [];
  private stopping: Promise<void> | undefined;

  add<T extends { stop(): Promise<void> }>(name: string, part: T): T {
    this.running.push({ name, stop: () => part.stop() });
    return part;
  }

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  /** Stopping twice is stopping once: a terminal's Ctrl-C and a supervisor's TERM may both arrive. */
  stop(log?: Logger): Promise<void> {
    return (this.stopping ??= (async () => {
      for (const part of this.running.splice(0).reverse()) {
        await part.stop().catch((error: unknown) => log?.error({ err: error }, `${part.name} did not stop cleanly.`));
      }
    })());
  }
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Waits for a signal to stop, or for a part to die. Later signals change nothing: the stop is under way. */
export function untilStopped(died: Promise<string>): Promise<{ signal: string } | { died: string }> {
  const told = new Promise<{ signal: string }>((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve({ signal }));
  });
  return Promise.race([told, died.then((sentence) => ({ died: sentence }))]);
}
