import { WorkflowNotFoundError } from '@temporalio/client';
import { enqueueMissing, findOverdue, findUnfinished, type Candidate } from '../db/reconcile.ts';
import type { Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { withDeadline, type Temporal } from './client.ts';

interface ReconcileDeps {
  pool: Pool;
  temporal: Temporal;
  log: Logger;
}

/**
 * Finds connections that no workflow looks after and has one started, through the outbox like everybody else. A healthy
 * connection says when its next look is and is never asked about; only those long overdue are looked up in Temporal.
 * `everything` asks about all of them: the cure after Temporal's database was lost.
 */
export async function reconcile(
  { pool, temporal, log }: ReconcileDeps,
  everything = false,
): Promise<{ asked: number; restarted: number }> {
  let asked = 0;
  let restarted = 0;
  let after: string | null = null;
  for (;;) {
    const candidates: readonly Candidate[] = everything
      ? await findUnfinished(pool, after)
      : await findOverdue(pool, after);
    const orphans: Candidate[] = [];
    for (const candidate of candidates) if (!(await isRunning(temporal, candidate))) orphans.push(candidate);
    restarted += await enqueueMissing(pool, orphans);
    asked += candidates.length;
    after = candidates.at(-1)?.id ?? null;
    if (after === null) break;
  }
  if (restarted > 0) log.warn({ asked, restarted }, 'Connections had no running workflow; restarting them.');
  return { asked, restarted };
}

async function isRunning(temporal: Temporal, connection: Candidate): Promise<boolean> {
  const handle = temporal.client.workflow.getHandle(connectionWorkflowId(connection));
  try {
    const { status } = await withDeadline(temporal, 5_000, () => handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
