import { createMetrics } from '../../src/metrics.ts';
import { relayBatch } from '../../src/temporal/relay.ts';
import { DELIVERY_KINDS, WORKFLOW_KINDS } from '../../src/temporal/workflow-kinds.ts';
import { log, type Lab } from './lab.ts';

/** Carries messages to Temporal while the body runs, as the relays of a worker do: all, or those about deliveries alone. */
export async function relaying<T>(lab: Lab, what: 'all' | 'deliveries', body: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const kinds = what === 'all' ? WORKFLOW_KINDS : DELIVERY_KINDS;
  const { pool, temporal } = lab;
  const metrics = createMetrics();
  const relay = (async () => {
    while (!over.signal.aborted) {
      while ((await relayBatch({ pool, temporal, log, metrics, kinds })) > 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    return await body();
  } finally {
    over.abort();
    await relay;
  }
}
