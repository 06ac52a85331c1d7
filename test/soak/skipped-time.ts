import { activityInfo } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Activities } from '../../activities/index.ts';
import { until } from '../support/until.ts';
import type { SimulatedClock } from './simulated-clock.ts';

type Run = Parameters<TestWorkflowEnvironment['client']['workflow']['getHandle']>;

/**
 * While a request lasts, the client pings the server, which ends a connection with pings and nothing else. The client
 * would then repeat the request, and the server would release its clock twice.
 */
const TALK_MS = 5_000;

/** Simulated time of Temporal's test server, which Postgres follows. */
export class SkippedTime {
  private readonly env: TestWorkflowEnvironment;
  private readonly clock: SimulatedClock;
  private readonly releases: Promise<void>[] = [];

  constructor(env: TestWorkflowEnvironment, clock: SimulatedClock) {
    this.env = env;
    this.clock = clock;
  }

  async now(): Promise<Date> {
    return new Date(await this.env.currentTimeMs());
  }

  /** Lets time pass in Temporal, and then in Postgres. */
  async pass(ms: number): Promise<void> {
    const talking = setInterval(() => void this.env.currentTimeMs(), TALK_MS);
    await this.env.sleep(ms).finally(() => clearInterval(talking));
    await Promise.all(this.releases.splice(0));
    await this.clock.set((await this.now()).getTime());
  }

  /**
   * Returns the same activities, after which no lock is lost. The test server locks its clock to report the end of a
   * child workflow, and only a parent that still runs unlocks it. The parent of a departure, the run of the archived
   * connection, has ended: this waits until it has, and releases the lock once the departure has ended as well.
   */
  withoutLostLocks(activities: Activities): Activities {
    return {
      ...activities,
      checkDeparture: async (id) => {
        const waitMs = await activities.checkDeparture(id);
        if (waitMs === null) {
          const { workflowId, runId } = activityInfo().workflowExecution!;
          const { parentExecution } = await this.env.client.workflow.getHandle(workflowId, runId).describe();
          await this.untilEnded([parentExecution!.workflowId!, parentExecution!.runId!]);
          this.releases.push(this.releaseAfter([workflowId, runId]));
        }
        return waitMs;
      },
    };
  }

  private async releaseAfter(run: Run): Promise<void> {
    await this.untilEnded(run);
    await this.env.connection.testService?.unlockTimeSkipping({});
  }

  private untilEnded(run: Run): Promise<void> {
    const handle = this.env.client.workflow.getHandle(...run);
    return until(async () => (await handle.describe()).status.name !== 'RUNNING');
  }
}
