import { EventEmitter, once } from 'node:events';
import { markFailed, markSent, oldestUnsent, takeDue, type OutboxMessage } from '../db/outbox.ts';
import { listen } from '../db/listen.ts';
import type { Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import {
  archiveSignal,
  CONNECTION_WORKFLOW,
  credentialsChangedSignal,
  touchSignal,
  type ConnectionInput,
} from '../../workflows/messages.ts';
import { startConnection, startOptions, withDeadline, type Temporal } from './client.ts';

const BATCH = 20;
const SEND_DEADLINE_MS = 5_000;
/** A LISTEN can die in silence, so the relay also looks by itself. */
const POLL_MS = 2_000;

const SIGNAL_OF = {
  touch: touchSignal,
  credentials_changed: credentialsChangedSignal,
  archive: archiveSignal,
} as const;

interface RelayDeps {
  pool: Pool;
  databaseUrl: string;
  temporal: Temporal;
  log: Logger;
  metrics: Metrics;
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
      const quiet = message.catch(() => undefined); // nobody rang: time is up, or we stop
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
export function relayBatch({ pool, temporal, log, metrics }: Omit<RelayDeps, 'databaseUrl'>): Promise<number> {
  return pool.transaction(async (tx) => {
    const messages = await takeDue(tx, BATCH);
    metrics.outboxOldestSeconds.set(await oldestUnsent(tx));
    const outcomes = await Promise.all(
      messages.map(async (message) => {
        try {
          await withDeadline(temporal, SEND_DEADLINE_MS, () => send(temporal, message));
          return { message, sent: true };
        } catch (error) {
          log.warn(
            { err: error, kind: message.kind, attempts: message.attempts + 1 },
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

async function send(temporal: Temporal, message: OutboxMessage): Promise<void> {
  const connection = { id: message.connection_id, tenant_id: message.tenant_id, hostname: message.hostname };
  if (message.kind === 'start') {
    await startConnection(temporal, connection);
    return;
  }
  await temporal.client.workflow.signalWithStart<(input: ConnectionInput) => Promise<void>>(CONNECTION_WORKFLOW, {
    ...startOptions(connection, temporal.taskQueue),
    signal: SIGNAL_OF[message.kind],
    signalArgs: [],
  });
}
