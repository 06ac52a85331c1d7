import { setTimeout as pause } from 'node:timers/promises';
import type { Subject } from '../domain/observation/check.ts';
import type { Observer } from '../domain/observation/observer.ts';

/** Watches for challenges between two checks. A check finds out what is wrong; a watch only sees when it has ended. */
export interface ChallengeWatch {
  /**
   * Resolves to true when a name server returns the challenge. Resolves to false after `forMs`, if the watch has to end
   * earlier, or immediately if there are too many watches.
   */
  await(subject: Subject, forMs: number, signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

/** Pause between two questions of a watch. */
const EVERY_MS = 1_000;

/** Creates a watch of at most `most` challenges at a time. A tenant gets half of them. */
export function createChallengeWatch(observer: Pick<Observer, 'seesChallenge'>, most: number): ChallengeWatch {
  const byTenant = new Map<string, number>();
  const stopping = new AbortController();
  let begun = 0;
  let watching = 0;

  const count = (tenantId: string, change: 1 | -1): void => {
    const own = (byTenant.get(tenantId) ?? 0) + change;
    if (own === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, own);
    watching += change;
  };

  /** Asks one server at a time, in turn, so that a watch costs the zone one question a second. */
  async function watch({ hostname, challenge }: Subject, forMs: number, signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + forMs;
    for (let turn = begun++; performance.now() + EVERY_MS <= end; turn++) {
      await pause(EVERY_MS, null, { signal }).catch(() => null);
      const isSeen = signal.aborted ? null : await observer.seesChallenge(hostname, challenge, turn, signal);
      if (isSeen !== false) return isSeen === true;
    }
    return false;
  }

  return {
    async await(subject, forMs, signal) {
      const own = byTenant.get(subject.tenantId) ?? 0;
      if (watching >= most || own >= most / 2) return false;
      count(subject.tenantId, 1);
      try {
        return await watch(subject, forMs, AbortSignal.any([signal, stopping.signal]));
      } finally {
        count(subject.tenantId, -1);
      }
    },
    stop() {
      stopping.abort();
      return Promise.resolve();
    },
  };
}
