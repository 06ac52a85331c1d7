import { EventEmitter, once } from 'node:events';
import {
  checkOutbox,
  makeDue,
  markFailed,
  markSent,
  STARTS_TOGETHER,
  takeDue,
  type OutboxMessage,
} from '../db/outbox.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../db/listen.ts';
import type { Pool, Tx } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { StepSemaphore } from '../net/step-semaphore.ts';
import { answers, isAway, withDeadline, type TemporalClient } from './client.ts';
import { sendInSpan } from './send-span.ts';
import type { Run, TemporalCall, WorkflowKind } from './workflow-kind.ts';
import { WORKFLOW_KINDS } from './workflow-kinds.ts';

const BATCH = 20;
const SEND_DEADLINE_MS = 5_000;
/** A LISTEN connection can break without an error, so the relay also polls. */
const POLL_MS = 2_000;
/** Time between batches while tenants are busy with connections that began before. */
const BUSY_POLL_MS = 100;

interface RelayDeps {
  pool: Pool;
  databaseUrl: string;
  temporal: TemporalClient;
  log: Logger;
  metrics: Metrics;
  /** Workflow kinds. Default: all of the service's; tests use their own. */
  kinds?: ReadonlyMap<string, WorkflowKind>;
  batch?: number;
  /** Minimum time between batches, so that messages can be sent together. */
  gatherMs?: number;
  /** The turns of connections that have begun. Those who wait for one begin no more connections. */
  turns?: Pick<StepSemaphore, 'backlogged'>;
  /** Called for each message that could not be sent because Temporal did not answer. */
  onAway?: () => void;
}

/** Sends messages from the outbox to Temporal at least once. Twice is harmless: starts find the run, signals merge. */
export function startRelay(deps: RelayDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const bell = new EventEmitter();
  const kinds = deps.kinds ?? WORKFLOW_KINDS;
  // A notification without a workflow type comes from a database that an older release migrated.
  const ring = (workflow: string) => (workflow === '' || kinds.has(workflow)) && bell.emit('message');
  const listener = listen(deps.databaseUrl, 'outbox', ring, deps.log);

  let wasAway = false;
  const relayRound = async (): Promise<number> => {
    if (wasAway && (await answers(deps.temporal))) {
      wasAway = false;
      await makeDue(deps.pool, [...kinds.keys()]);
    }
    return relayDue({ ...deps, onAway: () => (wasAway = true) });
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const round = new AbortController();
      const pollMs = deps.turns?.backlogged.length ? BUSY_POLL_MS : POLL_MS;
      const message = once(bell, 'message', {
        signal: AbortSignal.any([stopping.signal, round.signal, AbortSignal.timeout(pollMs)]),
      });
      const quiet = message.catch(() => undefined); // no message: the wait timed out, the batch is over, or the relay stops
      const gathered = pause(deps.gatherMs ?? 0);
      const taken = await relayRound().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'The relay could not read the outbox; trying again.');
        return 0;
      });
      if (taken < STARTS_TOGETHER) await quiet;
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

/** Reads whether messages are due before it begins a transaction, because most rounds find none. */
export async function relayDue(deps: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  const { pool, metrics, kinds = WORKFLOW_KINDS, turns } = deps;
  const { isDue, oldest } = await checkOutbox(pool, [...kinds.keys()], turns?.backlogged);
  metrics.outboxOldestSeconds.set(oldest);
  return isDue ? relayBatch(deps) : 0;
}

/** Sends due messages and deletes them, in one transaction: a relay that dies causes a repetition and never a loss. */
export function relayBatch({
  pool,
  temporal,
  log,
  metrics,
  kinds = WORKFLOW_KINDS,
  batch = BATCH,
  turns,
  onAway = () => undefined,
}: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  return pool.transaction(async (tx) => {
    const messages = await takeDue(tx, [...kinds.keys()], batch, turns?.backlogged);
    const calls = await callsFor(tx, kinds, messages);
    const outcomes = (
      await Promise.all(
        calls.map(async (call) => {
          try {
            await withDeadline(temporal, SEND_DEADLINE_MS, () => sendInSpan(call, temporal));
            return call.messages.map((message) => ({ message, sent: true }));
          } catch (error) {
            if (isAway(error)) onAway();
            const [first] = call.messages;
            log.warn(
              { err: error, workflow: first?.workflow, kind: first?.kind, messages: call.messages.length },
              'Temporal did not take a message; it stays in the outbox.',
            );
            return call.messages.map((message) => ({ message, sent: false }));
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

/** Returns the calls that deliver the messages: one for several if their kind allows it. */
async function callsFor(
  tx: Tx,
  kinds: ReadonlyMap<string, WorkflowKind>,
  messages: readonly OutboxMessage[],
): Promise<TemporalCall[]> {
  const calls: TemporalCall[] = [];
  for (const [workflow, group] of Map.groupBy(messages, (message) => message.workflow)) {
    const kind = kinds.get(workflow);
    const together = (await kind?.callsFor?.(tx, group)) ?? [];
    const combined = new Set(together.flatMap((call) => call.messages));
    const alone = group.filter((message) => !combined.has(message));
    const ids = alone.map(({ aggregate_id }) => aggregate_id);
    const runs = (ids.length === 0 ? undefined : await kind?.runsOf(tx, ids)) ?? new Map<string, Run>();
    calls.push(...together, ...alone.map((message) => callOf(message, runs.get(message.aggregate_id))));
  }
  return calls;
}

/** A message about a deleted object has no receiver, so it counts as sent. */
const callOf = (message: OutboxMessage, run: Run | undefined): TemporalCall => ({
  messages: [message],
  first: run?.first,
  send: async (temporal) => run?.send(temporal, message.kind),
});
