import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import pg from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { recountUsage } from '../../src/db/billing/usage.ts';
import { periodAt } from '../../src/domain/billing/usage.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { CLAIMS, violations } from '../support/invariants.ts';
import { until } from '../support/until.ts';

const EVERY_MS = 300;
/** Upper limit for DELETE: a lease lasts three seconds, and a busy machine needs some more. */
const DELETE_TAKES_MS = 6_000;

interface Watched {
  databaseUrl(): string;
  /** Current ports of the processes that answer the edge. */
  askPorts(): number[];
  temporal(): Client;
}

/** Observes a running service from outside, over its own connections. */
export class Invariants {
  readonly violations = new Set<string>();
  private rounds = 0;
  private allowed = 0;
  private isOver = false;
  /** Newest timeline id at each time. */
  private readonly moments: { at: number; timelineId: string }[] = [];
  private readonly watched: Watched;
  private readonly watching: Promise<void>;

  constructor(watched: Watched) {
    this.watched = watched;
    this.watching = this.watch();
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      await this.round().catch((error: unknown) => {
        // An unreachable database cannot be asked; the next round tries again. An invalid query is a fault of this
        // file.
        if (error instanceof pg.DatabaseError && error.code?.startsWith('42') === true)
          this.violations.add(`could not be asked: ${error.message}`);
      });
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  private async round(): Promise<void> {
    const database = new pg.Client({
      connectionString: this.watched.databaseUrl(),
      connectionTimeoutMillis: 3_000,
      query_timeout: 5_000,
    });
    database.on('error', () => undefined);
    await database.connect();
    try {
      for (const violation of await violations(database)) this.violations.add(violation);
      await this.askAboutSome(database);
      this.rounds++;
    } finally {
      await database.end().catch(() => undefined);
    }
  }

  /**
   * I3: an allowed hostname holds a claim before or after the ask, or gave it up a moment ago. DELETE counts from its
   * answer, which waits for every copy or for the end of its lease. The order of the timeline defines that moment, not
   * a clock, because some trials shift the clocks.
   */
  private async askAboutSome(database: pg.Client): Promise<void> {
    const hostnames = async (query: string, values: unknown[] = []) =>
      (await database.query<{ hostname: string }>(query, values)).rows.map(({ hostname }) => hostname);
    const claimed = () => hostnames(`SELECT DISTINCT hostname FROM connections WHERE serve AND state IN (${CLAIMS})`);
    const newest = await database.query<{ id: string }>('SELECT coalesce(max(id), 0) AS id FROM timeline');
    this.moments.push({ at: performance.now(), timelineId: newest.rows[0]?.id ?? '0' });
    const picked = await hostnames(
      'SELECT DISTINCT hostname FROM (SELECT hostname FROM connections ORDER BY random() LIMIT 20) AS picked',
    );
    const before = await claimed();
    const lately = this.moments.findLast(({ at }) => at < performance.now() - DELETE_TAKES_MS)?.timelineId ?? '0';
    const allowed = await Promise.all(
      picked.flatMap((hostname) =>
        this.watched.askPorts().map(async (port) => ((await asks(port, hostname)) ? [hostname] : [])),
      ),
    );
    const givenUp = await hostnames(
      `SELECT hostname FROM timeline JOIN connections ON connections.id = connection_id
       WHERE timeline.id > $1 AND from_state IN (${CLAIMS}) AND to_state NOT IN (${CLAIMS})`,
      [lately],
    );
    const justified = new Set([...before, ...(await claimed()), ...givenUp]);
    for (const hostname of allowed.flat()) {
      this.allowed++;
      if (!justified.has(hostname)) this.violations.add(`I3 allowed without a claim: ${hostname}`);
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.watching;
  }

  /** Waits until all work is done, and checks the invariants of that state too. */
  async stop(): Promise<string> {
    await this.end();
    await until(() => this.isAtRest(), 90_000).catch(() => undefined);
    await this.round();
    for (const unrest of await this.unrest()) this.violations.add(unrest);
    if (this.violations.size > 0) throw new Error(`Broken: ${[...this.violations].slice(0, 12).join('; ')}`);
    return `I1–I6 in ${this.rounds} rounds, ${this.allowed} allowed asks`;
  }

  private readonly isAtRest = async (): Promise<boolean> => (await this.unrest()).length === 0;

  private async unrest(): Promise<string[]> {
    const pool = await createPool(this.watched.databaseUrl(), { max: 1, name: 'invariants' });
    const database = new pg.Client({ connectionString: this.watched.databaseUrl() });
    await database.connect();
    try {
      const due = await database.query<{ who: string }>(`
        SELECT 'I4 an attempt is still due: ' || id AS who FROM webhook_deliveries WHERE status = 'pending'
        UNION ALL SELECT 'an outbox row still exists: ' || id FROM outbox`);
      const counters = await recountUsage(pool, periodAt(new Date()));
      return [
        ...due.rows.map(({ who }) => who),
        ...counters.map((difference) => `I6 a counter differs: ${JSON.stringify(difference)}`),
        ...(await this.wrongRuns(database)),
      ];
    } finally {
      await database.end();
      await pool.end();
    }
  }

  /** I5: every connection that is neither failed nor archived has an open run, and an archived one has none. */
  private async wrongRuns(database: pg.Client): Promise<string[]> {
    const { rows } = await database.query<{ id: string; hostname: string; state: string; cleanup: string }>(
      `SELECT id, hostname, state, cleanup FROM connections WHERE state <> 'failed'`,
    );
    const wrong: string[] = [];
    for (const row of rows) {
      const wanted = row.state !== 'archived';
      if ((await isOpen(this.watched.temporal(), row)) !== wanted)
        wrong.push(`I5 ${row.state} ${wanted ? 'without' : 'with'} an open run: ${row.hostname}`);
    }
    return wrong;
  }
}

/** Reads only the status, because the memo may be encrypted with keys that this process does not have. */
async function isOpen(client: Client, connection: { id: string; hostname: string }): Promise<boolean> {
  const execution = { workflowId: connectionWorkflowId(connection) };
  try {
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution,
    });
    return workflowExecutionInfo?.status === RUNNING;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code.valueOf() === NOT_FOUND) return false;
    throw error;
  }
}

const RUNNING = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
/** gRPC's status code. */
const NOT_FOUND = 5;

/** Whether a process allows a certificate for the hostname. A process that does not answer allows nothing. */
export const asks = async (port: number, hostname: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/internal/ask?bare=1&domain=${hostname}`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
