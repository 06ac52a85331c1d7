import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { setTimeout as pause } from 'node:timers/promises';
import type { SimulatedClock } from './simulated-clock.ts';

const POLL_MS = 40;
/** Polls in a row without any progress after which a lock of the clock is lost. */
const QUIET_POLLS = 8;
/** The simulated clock also proceeds with real time. A longer step than this was skipped. */
const SKIPPED_MS = 10_000;

/** Work of the soak's workers. */
interface Progress {
  /** Number of activities that they have begun. */
  begun(): number;
  isBusy(): boolean;
}

/** Simulated time of Temporal's test server, which Postgres follows. */
export class SkippedTime {
  /** Locks of the test server's clock that it had lost, and that this released. */
  released = 0;
  private readonly env: TestWorkflowEnvironment;
  private readonly clock: SimulatedClock;
  private readonly progress: Progress;

  constructor(env: TestWorkflowEnvironment, clock: SimulatedClock, progress: Progress) {
    this.env = env;
    this.clock = clock;
    this.progress = progress;
  }

  async now(): Promise<Date> {
    return new Date(await this.env.currentTimeMs());
  }

  /** Lets time pass in Temporal, and then in Postgres. */
  async pass(ms: number): Promise<void> {
    const passed = new AbortController();
    const releasing = this.releaseLostLocks(() => passed.signal.aborted);
    await this.env.sleep(ms).finally(() => passed.abort());
    await releasing;
    await this.clock.set((await this.now()).getTime());
  }

  /**
   * The test server counts locks of its clock, and loses one release whenever a message cancels an activity that waits
   * for its next attempt. Then nothing runs and no time is skipped. Each such time this releases one lock: the server
   * fails if one is released that another caller still holds.
   */
  private async releaseLostLocks(hasPassed: () => boolean): Promise<void> {
    let quiet = 0;
    let [begun, now] = [this.progress.begun(), await this.env.currentTimeMs()];
    while (!hasPassed()) {
      await pause(POLL_MS);
      const before = { begun, now };
      [begun, now] = [this.progress.begun(), await this.env.currentTimeMs()];
      const isQuiet = !this.progress.isBusy() && begun === before.begun && now - before.now < SKIPPED_MS;
      quiet = isQuiet ? quiet + 1 : 0;
      if (quiet < QUIET_POLLS || hasPassed()) continue;
      quiet = 0;
      this.released++;
      await this.env.connection.testService?.unlockTimeSkipping({});
    }
  }
}
