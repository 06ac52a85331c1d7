import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import pg from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { recountUsage } from '../../src/db/billing/usage.ts';
import { PROVED } from '../../src/domain/connection/state-sets.ts';
import { periodAt } from '../../src/domain/billing/usage.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { until } from '../support/until.ts';

/** Invariants that apply at every moment of every fault, and invariants that apply once all work is done. */
const CLAIMS = [...PROVED].map((state) => `'${state}'`).join(', ');
const EVERY_MS = 300;
/** Upper limit for DELETE: a lease lasts three seconds, and a busy machine needs some more. */
const DELETE_TAKES_MS = 6_000;

/**
 * Queries that return the connections or deliveries that violate each invariant, from one snapshot of the database.
 * `verifying` is set during every check and is not on the timeline, so a failed connection that is verified again has
 * no move there.
 */
const ALWAYS: Readonly<Record<string, string>> = {
  'I1 one claim for each hostname': `
    SELECT hostname AS who FROM connections WHERE serve AND state IN (${CLAIMS}) GROUP BY hostname HAVING count(*) > 1`,
  'I2 the last move on the timeline ends in the state': `
    SELECT id::text AS who FROM connections WHERE state <> 'verifying' AND state <> (
      SELECT to_state FROM timeline WHERE connection_id = connections.id AND kind = 'move' ORDER BY id DESC LIMIT 1)`,
  'I2 each move begins where the one before it ended': `
    SELECT connection_id::text AS who FROM (
      SELECT connection_id, from_state, lag(to_state) OVER (PARTITION BY connection_id ORDER BY id) AS before
      FROM timeline WHERE kind = 'move') AS moves
    WHERE from_state <> coalesce(before, 'created') AND (before, from_state) <> ('failed', 'pending_ownership')`,
  'I2 each move with an event has exactly one event': `
    SELECT moves.connection_id::text AS who FROM (
      SELECT connection_id, count(*) FILTER (WHERE from_state = 'created' AND to_state <> 'archived') AS added,
        count(*) FILTER (WHERE to_state = 'verified') AS verified,
        count(*) FILTER (WHERE to_state = 'drifted') AS drifted
      FROM timeline WHERE kind = 'move' GROUP BY connection_id) AS moves
    LEFT JOIN (
      SELECT connection_id, count(*) FILTER (WHERE type = 'domain.added') AS added,
        count(*) FILTER (WHERE type = 'domain.verified') AS verified,
        count(*) FILTER (WHERE type = 'domain.drift') AS drifted
      FROM events GROUP BY connection_id) AS reported USING (connection_id)
    WHERE (moves.added, moves.verified, moves.drifted)
      IS DISTINCT FROM (coalesce(reported.added, 0), coalesce(reported.verified, 0), coalesce(reported.drifted, 0))`,
  'I2 events are numbered without a gap': `
    SELECT id::text AS who FROM connections
    WHERE event_sequence <> (SELECT count(*) FROM events WHERE connection_id = connections.id)`,
  'I4 what counts as delivered was attempted': `
    SELECT id::text AS who FROM webhook_deliveries WHERE status = 'delivered'
      AND NOT EXISTS (SELECT FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id)`,
  'I4 an event that an endpoint wants has a delivery': `
    SELECT events.id::text AS who FROM events
      JOIN webhook_endpoints ON webhook_endpoints.application_id = events.application_id
    WHERE events.type = ANY(webhook_endpoints.events) AND events.created_at > webhook_endpoints.created_at
      AND NOT EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.event_id = events.id AND d.endpoint_id = webhook_endpoints.id)`,
};

/** Returns the violations of the invariants that apply at every moment. */
export async function violations(database: pg.Client): Promise<string[]> {
  const found: string[] = [];
  for (const [invariant, query] of Object.entries(ALWAYS)) {
    const { rows } = await database.query<{ who: string }>(query);
    found.push(...rows.map(({ who }) => `${invariant}: ${who}`));
  }
  return found;
}

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
