import { EventEmitter, once } from 'node:events';
import { checkOutbox, makeDue, markFailed, markSent, takeDue, type OutboxMessage } from '../db/outbox.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../db/listen.ts';
import type { Pool, Tx } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { answers, isAway, withDeadline, type TemporalClient } from './client.ts';
import type { Run, Shipment, WorkflowKind } from './workflow-kind.ts';
import { WORKFLOW_KINDS } from './workflow-kinds.ts';

const BATCH = 20;
const SEND_DEADLINE_MS = 5_000;
/** A LISTEN can die in silence, so the relay also looks by itself. */
const POLL_MS = 2_000;

interface RelayDeps {
  pool: Pool;
  databaseUrl: string;
  temporal: TemporalClient;
  log: Logger;
  metrics: Metrics;
  /** Every kind that the service runs; tests bring their own. */
  kinds?: ReadonlyMap<string, WorkflowKind>;
  /** How many messages are taken at once. */
  batch?: number;
  /** The least time from one batch to the next, in which messages gather that can travel together. */
  gatherMs?: number;
  /** Told of each message that was not sent because nobody is at Temporal's address. */
  onAway?: () => void;
}

/**
 * Carries messages from the outbox to Temporal. Any number of relays run side by side. A message is sent at least once,
 * and sending it twice is harmless: starts find the run that exists, signals fold into one. Messages that failed wait ever
 * longer; once a Temporal that was away answers again, all of them are due.
 */
export function startRelay(deps: RelayDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const bell = new EventEmitter();
  const listener = listen(deps.databaseUrl, 'outbox', () => bell.emit('message'), deps.log);

  let wasAway = false;
  const relayRound = async (): Promise<number> => {
    if (wasAway && (await answers(deps.temporal))) {
      wasAway = false;
      await makeDue(deps.pool, [...(deps.kinds ?? WORKFLOW_KINDS).keys()]);
    }
    return relayDue({ ...deps, onAway: () => (wasAway = true) });
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const round = new AbortController();
      const message = once(bell, 'message', {
        signal: AbortSignal.any([stopping.signal, round.signal, AbortSignal.timeout(POLL_MS)]),
      });
      const quiet = message.catch(() => undefined); // no message came: time is up, the round is over, or we stop
      const gathered = pause(deps.gatherMs ?? 0);
      const taken = await relayRound().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'The relay could not read the outbox; trying again.');
        return 0;
      });
      if (taken < (deps.batch ?? BATCH)) await quiet;
      await gathered;
      round.abort();
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

/** Every message wakes every relay, also those that it is not for. */
export async function relayDue(deps: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  const { pool, metrics, kinds = WORKFLOW_KINDS } = deps;
  const { isDue, oldest } = await checkOutbox(pool, [...kinds.keys()]);
  metrics.outboxOldestSeconds.set(oldest);
  return isDue ? relayBatch(deps) : 0;
}

/** Sends what is due and forgets what was sent, in one transaction: dying in the middle means sending again, never losing. */
export function relayBatch({
  pool,
  temporal,
  log,
  metrics,
  kinds = WORKFLOW_KINDS,
  batch = BATCH,
  onAway = () => undefined,
}: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  return pool.transaction(async (tx) => {
    const messages = await takeDue(tx, [...kinds.keys()], batch);
    const shipments = await shipmentsOf(tx, kinds, messages);
    const outcomes = (
      await Promise.all(
        shipments.map(async (shipment) => {
          try {
            await withDeadline(temporal, SEND_DEADLINE_MS, () => shipment.send(temporal));
            return shipment.messages.map((message) => ({ message, sent: true }));
          } catch (error) {
            if (isAway(error)) onAway();
            const [first] = shipment.messages;
            log.warn(
              { err: error, workflow: first?.workflow, kind: first?.kind, messages: shipment.messages.length },
              'Temporal did not take a message; it stays in the outbox.',
            );
            return shipment.messages.map((message) => ({ message, sent: false }));
          }
        }),
      )
    ).flat();
    for (const { message, sent } of outcomes)
      metrics.outboxSent.inc({ kind: message.kind, outcome: sent ? 'sent' : 'failed' });
    const ids = (sent: boolean) => outcomes.filter((outcome) => outcome.sent === sent).map(({ message }) => message.id);
    if (ids(true).length > 0) await markSent(tx, ids(true));
    if (ids(false).length > 0) await markFailed(tx, ids(false));
    return messages.length;
  });
}

/** How the messages reach Temporal: together where their kind says so, else each to its own run. */
async function shipmentsOf(
  tx: Tx,
  kinds: ReadonlyMap<string, WorkflowKind>,
  messages: readonly OutboxMessage[],
): Promise<Shipment[]> {
  const shipments: Shipment[] = [];
  for (const [workflow, group] of Map.groupBy(messages, (message) => message.workflow)) {
    const kind = kinds.get(workflow);
    const together = (await kind?.shipmentsOf?.(tx, group)) ?? [];
    const carried = new Set(together.flatMap((shipment) => shipment.messages));
    const alone = group.filter((message) => !carried.has(message));
    const ids = alone.map(({ aggregate_id }) => aggregate_id);
    const runs = (ids.length === 0 ? undefined : await kind?.runsOf(tx, ids)) ?? new Map<string, Run>();
    shipments.push(...together, ...alone.map((message) => asShipment(message, runs.get(message.aggregate_id))));
  }
  return shipments;
}

/** A message about something that is no longer there has no reader, so it counts as sent. */
const asShipment = (message: OutboxMessage, run: Run | undefined): Shipment => ({
  messages: [message],
  send: async (temporal) =>
    run?.send({ ...temporal, taskQueue: message.task_queue ?? temporal.taskQueue }, message.kind),
});
