import { BoundedMap } from '../net/bounded-map.ts';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** Longer than Caddy waits for a connection, so that a failure is known by then. */
const TRIAL_MS = 5_000;
const MOST_REMEMBERED = 10_000;

interface Failed {
  failures: number;
  /** End of the pause, or of the trial after it. */
  until: number;
  isOnTrial: boolean;
}

/**
 * Remembers which addresses failed, so that requests try others first for some seconds. After the pause, one request
 * tries the address again; the others follow if it has not failed by the end of the trial.
 */
export class OriginHealth {
  private readonly failed = new BoundedMap<string, Failed>(MOST_REMEMBERED);
  private readonly now: () => number;

  constructor(now = () => performance.now()) {
    this.now = now;
  }

  /** Returns the addresses in the order in which a request tries them: those that failed come last. */
  order(addresses: readonly [string, ...string[]], keyOf: (address: string) => string): [string, ...string[]] {
    const [only, another] = addresses;
    if (another === undefined) return [only];
    if (this.failed.size === 0) return rotated(addresses) as [string, ...string[]];
    const [trials, good, bad]: [string[], string[], string[]] = [[], [], []];
    for (const address of addresses) {
      const state = this.stateOf(keyOf(address));
      if (state === 'good') good.push(address);
      else (state === 'trial' && trials.length === 0 ? trials : bad).push(address);
    }
    const [first = only, ...others] = [...trials, ...rotated(good), ...rotated(bad)];
    if (trials.length > 0) this.beginTrial(keyOf(first));
    return [first, ...others];
  }

  /** Records a failure, and returns whether the address was not known to fail. */
  fail(key: string): boolean {
    const before = this.failed.get(key);
    const now = this.now();
    if (before !== undefined && !before.isOnTrial && now < before.until) return false;
    const failures = (before?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    this.failed.set(key, { failures, until: now + pause, isOnTrial: false });
    return true;
  }

  private stateOf(key: string): 'good' | 'trial' | 'bad' {
    const known = this.failed.get(key);
    if (known === undefined) return 'good';
    if (this.now() < known.until) return 'bad';
    if (!known.isOnTrial) return 'trial';
    this.failed.delete(key);
    return 'good';
  }

  private beginTrial(key: string): void {
    const failures = this.failed.get(key)?.failures ?? 0;
    this.failed.set(key, { failures, until: this.now() + TRIAL_MS, isOnTrial: true });
  }
}

/** Rotates the addresses, so that requests spread over them. */
function rotated<T>(items: readonly T[]): T[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
