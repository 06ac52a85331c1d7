import { WorkflowNotFoundError } from '@temporalio/client';
import { enqueueMissing } from '../db/connection/reconcile.ts';
import type { Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import { withDeadline, type Temporal } from './client.ts';
import type { Candidate, WorkflowKind } from './workflow-kind.ts';
import { WORKFLOW_KINDS } from './workflow-kinds.ts';

interface ReconcileDeps {
  pool: Pool;
  temporal: Temporal;
  log: Logger;
  /** Workflow kinds. Default: all of the service's; tests use their own. */
  kinds?: ReadonlyMap<string, WorkflowKind>;
}

const CONCURRENT_QUERIES = 50;

interface Reconciled {
  asked: number;
  restarted: number;
}

/** Starts missing workflows, looking up overdue connections only. `everything` repairs a lost Temporal database. */
export async function reconcile(deps: ReconcileDeps, everything = false): Promise<Reconciled> {
  const total: Reconciled = { asked: 0, restarted: 0 };
  for (const [workflow, kind] of deps.kinds ?? WORKFLOW_KINDS) {
    const { asked, restarted } = await reconcileKind(deps, workflow, kind, everything);
    if (restarted > 0) deps.log.warn({ workflow, asked, restarted }, 'Workflows were not running; restarting them.');
    total.asked += asked;
    total.restarted += restarted;
  }
  return total;
}

async function reconcileKind(
  { pool, temporal }: ReconcileDeps,
  workflow: string,
  kind: WorkflowKind,
  everything: boolean,
): Promise<Reconciled> {
  const { aggregate } = kind;
  const result: Reconciled = { asked: 0, restarted: 0 };
  let after: string | null = null;
  for (;;) {
    const page: readonly Candidate[] = await (everything ? kind.unfinished(pool, after) : kind.overdue(pool, after));
    const orphans: Candidate[] = [];
    for (let i = 0; i < page.length; i += CONCURRENT_QUERIES)
      orphans.push(...(await notRunning(temporal, page.slice(i, i + CONCURRENT_QUERIES))));
    result.restarted += await enqueueMissing(pool, { aggregate, workflow }, orphans);
    result.asked += page.length;
    after = page.at(-1)?.position ?? null;
    if (after === null) return result;
  }
}

async function notRunning(temporal: Temporal, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const running = await Promise.all(candidates.map((candidate) => isRunning(temporal, candidate)));
  return candidates.filter((_, index) => running[index] === false);
}

async function isRunning(temporal: Temporal, { workflowId }: Candidate): Promise<boolean> {
  const handle = temporal.client.workflow.getHandle(workflowId);
  try {
    const { status } = await withDeadline(temporal, 5_000, () => handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
