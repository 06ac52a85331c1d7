import { EventEmitter, once } from 'node:events';
import { markFailed, markSent, oldestUnsent, takeDue, type OutboxMessage } from '../db/outbox.ts';
import { listen } from '../db/listen.ts';
import type { Pool, Tx } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { withDeadline, type Temporal } from './client.ts';
import { WORKFLOW_KINDS, type Run, type WorkflowKind } from './workflow-kinds.ts';

const BATCH = 20;
const SEND_DEADLINE_MS = 5_000;
/** A LISTEN can die in silence, so the relay also looks by itself. */
const POLL_MS = 2_000;

interface RelayDeps {
  pool: Pool;
  databaseUrl: string;
  temporal: Temporal;
  log: Logger;
  metrics: Metrics;
  /** Every kind that the service runs; tests bring their own. */
  kinds?: ReadonlyMap<string, WorkflowKind>;
}

/**
 * Carries messages from the outbox to Temporal. Any number of relays run side by side. A message is sent at least once,
 * and sending it twice is harmless: starts find the run that exists, signals fold into one.
 */
export function startRelay(deps: RelayDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const bell = new EventEmitter();
  const listener = listen(deps.databaseUrl, 'outbox', () => bell.emit('message'), deps.log);

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const message = once(bell, 'message', {
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(POLL_MS)]),
      });
      const quiet = message.catch(() => undefined); // no message came: time is up, or we stop
      const taken = await relayBatch(deps).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'The relay could not read the outbox; trying again.');
        return 0;
      });
      if (taken < BATCH) await quiet;
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await Promise.all([running, listener.close()]);
    },
  };
}

/** Sends what is due and forgets what was sent, in one transaction: dying in the middle means sending again, never losing. */
export function relayBatch({
  pool,
  temporal,
  log,
  metrics,
  kinds = WORKFLOW_KINDS,
}: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  return pool.transaction(async (tx) => {
    const messages = await takeDue(tx, [...kinds.keys()], BATCH);
    metrics.outboxOldestSeconds.set(await oldestUnsent(tx));
    const runs = await runsOf(tx, kinds, messages);
    const outcomes = await Promise.all(
      messages.map(async (message) => {
        try {
          await withDeadline(temporal, SEND_DEADLINE_MS, () => send(temporal, message, runs));
          return { message, sent: true };
        } catch (error) {
          log.warn(
            { err: error, workflow: message.workflow, kind: message.kind, attempts: message.attempts + 1 },
            'Temporal did not take a message; it stays in the outbox.',
          );
          return { message, sent: false };
        }
      }),
    );
    for (const { message, sent } of outcomes)
      metrics.outboxSent.inc({ kind: message.kind, outcome: sent ? 'sent' : 'failed' });
    const ids = (sent: boolean) => outcomes.filter((outcome) => outcome.sent === sent).map(({ message }) => message.id);
    if (ids(true).length > 0) await markSent(tx, ids(true));
    if (ids(false).length > 0) await markFailed(tx, ids(false));
    return messages.length;
  });
}

/** Whom the messages are for, with one question for each kind of workflow. */
async function runsOf(
  tx: Tx,
  kinds: ReadonlyMap<string, WorkflowKind>,
  messages: readonly OutboxMessage[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Run>>> {
  const runs = new Map<string, ReadonlyMap<string, Run>>();
  for (const [workflow, group] of Map.groupBy(messages, (message) => message.workflow)) {
    const ids = group.map(({ aggregate_id }) => aggregate_id);
    runs.set(workflow, (await kinds.get(workflow)?.runsOf(tx, ids)) ?? new Map<string, Run>());
  }
  return runs;
}

/** A message about something that is no longer there has no reader, so it counts as sent. */
async function send(
  temporal: Temporal,
  { workflow, aggregate_id, task_queue, kind }: OutboxMessage,
  runs: ReadonlyMap<string, ReadonlyMap<string, Run>>,
): Promise<void> {
  const taskQueue = task_queue ?? temporal.taskQueue;
  await runs
    .get(workflow)
    ?.get(aggregate_id)
    ?.send({ ...temporal, taskQueue }, kind);
}
