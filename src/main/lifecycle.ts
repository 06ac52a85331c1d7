import type { Logger } from '../log.ts';

export interface Running {
  name: string;
  stop(): Promise<void>;
}

/** The parts of a process, stopped in reverse order of their start, so that each part's dependencies stop after it. */
export class Lifecycle {
  private readonly running: Running[] = [];
  private stopping: Promise<void> | undefined;

  /** Adds a part that runs. A part that became ready only after the stop began is stopped immediately. */
  add<T extends { stop(): Promise<void> }>(name: string, part: T): T {
    if (this.isStopping) void part.stop().catch(() => undefined);
    else this.running.push({ name, stop: () => part.stop() });
    return part;
  }

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  /** Stops once, even if Ctrl-C and a supervisor's TERM both arrive. */
  stop(log?: Logger): Promise<void> {
    return (this.stopping ??= (async () => {
      for (const part of this.running.splice(0).reverse()) {
        await part.stop().catch((error: unknown) => log?.error({ err: error }, `${part.name} did not stop cleanly.`));
      }
    })());
  }
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Waits for a signal, or for a part to fail. Later signals change nothing. */
export function untilStopped(died: Promise<string>): Promise<{ signal: string } | { died: string }> {
  const signalled = new Promise<{ signal: string }>((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve({ signal }));
  });
  return Promise.race([signalled, died.then((sentence) => ({ died: sentence }))]);
}
