import { setTimeout as pause } from 'node:timers/promises';
import { releaseStarts } from '../db/connection/held-starts.ts';
import type { Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';

/** Time between releases while starts are held. */
const SOON_MS = 100;
const LATER_MS = 1_000;

interface Releasing {
  pool: Pool;
  log: Logger;
  /** Number of a tenant's batch connections that advance at the same time while nothing else does. */
  concurrency: number;
}

/** Releases held starts of batches. Every worker does so; concurrent releases are harmless. */
export function startReleases({ pool, log, concurrency }: Releasing): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const held = await releaseStarts(pool, concurrency).catch((error: unknown) => {
        log.warn({ err: error }, 'Could not let go the starts of batches; trying again.');
        return 0;
      });
      await pause(held > 0 ? SOON_MS : LATER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
