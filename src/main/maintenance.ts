import { reportMeters } from '../billing/meters.ts';
import { forgetOldEdges, listEdges } from '../db/edges.ts';
import { forgetOldEvents } from '../db/events.ts';
import { forgetOldObservations } from '../db/observations.ts';
import { forgetOldAllowances } from '../db/request-allowances.ts';
import { forgetOldShareLinks } from '../db/share-links.ts';
import { oldestPending } from '../db/webhook-deliveries.ts';
import { countDisabled } from '../db/webhook-endpoints.ts';
import { beginPeriod, forgetOldFlushes } from '../db/usage.ts';
import { checkCredentials } from '../provisioning/health.ts';
import type { Logger } from '../log.ts';
import { reconcile } from '../temporal/reconcile.ts';
import type { Graph } from './graph.ts';

const MINUTE_MS = 60_000;

/** Work that recurs while the service lives. Every worker does it; doing it twice is harmless. */
export function startMaintenance(graph: Graph): { stop(): Promise<void> } {
  let isStopping = false;
  const chores = [
    every(MINUTE_MS, 'look for connections without a workflow', graph.log, () => reconcile(graph)),
    every(10 * MINUTE_MS, 'forget old observations', graph.log, () => forgetOldObservations(graph.pool)),
    every(60 * MINUTE_MS, 'forget old request allowances', graph.log, () => forgetOldAllowances(graph.pool)),
    every(60 * MINUTE_MS, 'forget old shared links', graph.log, () => forgetOldShareLinks(graph.pool)),
    every(60 * MINUTE_MS, 'forget old events', graph.log, () => forgetOldEvents(graph.pool, () => isStopping)),
    every(60 * MINUTE_MS, 'forget old edges', graph.log, () => forgetOldEdges(graph.pool)),
    every(MINUTE_MS / 4, 'look which edges are silent', graph.log, () => lookAtEdges(graph)),
    every(10 * MINUTE_MS, 'begin the month of usage', graph.log, () => beginPeriod(graph.pool, new Date())),
    every(60 * MINUTE_MS, 'forget old counts', graph.log, () => forgetOldFlushes(graph.pool)),
    every(5 * MINUTE_MS, "tell usage to the billing provider's meters", graph.log, () => tellMeters(graph)),
    every(MINUTE_MS / 4, 'count waiting deliveries', graph.log, () => countDeliveries(graph)),
    every(10 * MINUTE_MS, 'show credentials to their providers', graph.log, () =>
      checkCredentials(graph.providerAccess),
    ),
  ];
  return {
    async stop() {
      isStopping = true;
      await Promise.all(chores.map((chore) => chore.stop()));
    },
  };
}

async function lookAtEdges({ pool, metrics }: Graph): Promise<void> {
  // Of edges with one name the most silent is told.
  const edges = (await listEdges(pool)).toSorted((a, b) => a.silent_seconds - b.silent_seconds);
  metrics.edgeSilentSeconds.reset();
  for (const { name, silent_seconds } of edges) metrics.edgeSilentSeconds.set({ edge: name }, silent_seconds);
}

async function tellMeters({ api: { billing }, pool }: Graph): Promise<void> {
  if (billing !== null && billing.meters.size > 0) await reportMeters(billing, pool, new Date());
}

async function countDeliveries({ pool, metrics }: Graph): Promise<void> {
  metrics.webhookOldestPending.set(await oldestPending(pool));
  metrics.webhookEndpointsDisabled.set(await countDisabled(pool));
}

/** One round at a time; a round that fails is told and followed by the next. */
function every(ms: number, what: string, log: Logger, chore: () => Promise<unknown>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(chore)
      .then(() => undefined)
      .catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again.`));
  }, ms);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
