import { replaceEnded } from '../certificates/ended.ts';
import { releaseImported } from '../certificates/imported.ts';
import { copyMissingSecrets } from '../certificates/edge-secrets.ts';
import { sealMissing } from '../certificates/for-edges.ts';
import { reportMeters } from '../billing/meters.ts';
import { hasRoom } from '../db/certificate/certificate-orders.ts';
import { countByProvider, countCertificates } from '../db/connection/counts.ts';
import { foldCounts } from '../db/connection/tenant-counts.ts';
import { takeDuty } from '../db/duties.ts';
import { listEdges } from '../db/edge/edges.ts';
import { deleteExpired } from '../db/retention.ts';
import { oldestPending } from '../db/webhook/deliveries.ts';
import { countDisabled } from '../db/webhook/endpoints.ts';
import { beginPeriod } from '../db/billing/usage.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { HOUR, MINUTE, SECOND } from '../domain/duration.ts';
import { CERTIFICATE_LABELS } from '../metrics.ts';
import { askRenewalTimes, renewDue } from '../ordering/renewals.ts';
import { checkRegistrations } from '../registrations/check.ts';
import { checkCredentials } from '../provisioning/health.ts';
import type { Logger } from '../log.ts';
import { reconcile } from '../temporal/reconcile.ts';
import { edgeDirectories } from './certificates.ts';
import type { WorkerGraph } from './worker-graph.ts';

/** Runs recurring tasks. One worker does each of them; a second run is harmless. */
export function startMaintenance(graph: WorkerGraph): { stop(): Promise<void> } {
  const { pool, log } = graph;
  const stopping = new AbortController();
  const duty = (ms: number, what: string, chore: () => Promise<unknown>) =>
    every(ms, what, log, async () => {
      // A worker whose clock runs ahead must not miss every other turn.
      if (await takeDuty(pool, what, ms * 0.9)) await chore();
    });
  const chores = [
    duty(MINUTE, 'find connections without a workflow', () => reconcile(graph)),
    duty(HOUR, 'delete expired rows', () => deleteExpired(pool, () => stopping.signal.aborted)),
    duty(5 * SECOND, 'encrypt certificates for new edges', () => sealMissing(pool, graph.vault, new Date())),
    duty(5 * SECOND, 'encrypt edge secrets for new edges', () => copyMissingSecrets(pool, graph.vault)),
    duty(MINUTE, 'replace certificates that have ended', () => replaceEnded(pool, new Date())),
    duty(MINUTE, 'replace imported certificates', () => replaceImported(graph)),
    duty(MINUTE, 'renew certificates', () => renewDue(graph.ordering, new Date())),
    duty(MINUTE, 'ask when to renew certificates', () => askRenewalTimes(graph.ordering, new Date())),
    duty(10 * MINUTE, 'check credentials with their providers', () => checkCredentials(graph.providerAccess)),
    duty(MINUTE, 'check the registrations of domains', () => checkDomains(graph, stopping.signal)),
    every(MINUTE / 4, 'count waiting deliveries', log, () => countDeliveries(graph)),
    every(MINUTE / 4, 'check which edges are silent', log, () => checkEdges(graph)),
    every(MINUTE, 'count connections', log, () => countConnections(graph)),
    duty(5 * SECOND, 'add up the counts of connections', () => foldCounts(pool)),
    duty(10 * MINUTE, 'begin the month of usage', () => beginPeriod(pool, new Date())),
    duty(5 * MINUTE, "report usage to the billing provider's meters", () => reportUsage(graph)),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(chores.map((chore) => chore.stop()));
    },
  };
}

/** Lets the edge obtain its own certificates in place of imported ones, as fast as the limits of its CAs allow. */
function replaceImported({ pool, config }: WorkerGraph): Promise<number> {
  const now = new Date();
  const accounts = edgeDirectories(config);
  const hasRoomAtOne = async (hostname: string): Promise<boolean> => {
    const order = { hostname, registeredDomain: registrableDomain(hostname) };
    for (const account of accounts) if (await hasRoom(pool, { ...order, account }, now.getTime())) return true;
    return accounts.length === 0;
  };
  return releaseImported(pool, hasRoomAtOne, now);
}

async function checkEdges({ pool, metrics }: WorkerGraph): Promise<void> {
  // Of several edges with one name, the one with the longest silence is reported.
  const edges = (await listEdges(pool)).toSorted((a, b) => a.silent_seconds - b.silent_seconds);
  metrics.edgeSilentSeconds.reset();
  for (const { name, silent_seconds } of edges) metrics.edgeSilentSeconds.set({ edge: name }, silent_seconds);
}

/** Counts connections in one worker. The others report nothing, so that their old counts are not shown. */
async function countConnections(graph: WorkerGraph): Promise<void> {
  if (await takeDuty(graph.pool, 'count connections', MINUTE * 0.9)) return showConnections(graph);
  graph.metrics.connections.reset();
  graph.metrics.certificates.reset();
}

export async function showConnections({ pool, metrics }: Pick<WorkerGraph, 'pool' | 'metrics'>): Promise<void> {
  const { connections, certificates } = metrics;
  const [counted, ending] = [await countByProvider(pool), await countCertificates(pool)];
  connections.reset();
  certificates.reset();
  for (const { state, provider, count } of counted) connections.inc({ state, provider: provider ?? 'unknown' }, count);
  for (const [index, count] of ending.entries()) certificates.set({ ends_in: CERTIFICATE_LABELS[index] ?? '' }, count);
}

async function checkDomains({ registrations }: WorkerGraph, signal: AbortSignal): Promise<void> {
  if (registrations !== null) await checkRegistrations(registrations, signal);
}

async function reportUsage({ billing, pool }: WorkerGraph): Promise<void> {
  if (billing !== null && billing.meters.size > 0) await reportMeters(billing, pool, new Date());
}

async function countDeliveries({ pool, metrics }: WorkerGraph): Promise<void> {
  metrics.webhookOldestPending.set(await oldestPending(pool));
  metrics.webhookEndpointsDisabled.set(await countDisabled(pool));
}

/** Runs one round at a time. A failed round is logged, and the next one follows. */
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
