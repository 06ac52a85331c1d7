import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, patched, sleep, startChild } from '@temporalio/workflow';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { activitiesOf } from './activities.ts';
import { DEPARTURE_WORKFLOW, departureWorkflowId, type DepartureInput } from './messages.ts';

/** Checks for a month whether the hostname of an archived connection still points here. */
export async function departure({ id, tenantId, hostname }: DepartureInput): Promise<void> {
  const { checkDeparture } = activitiesOf({ tenantId }).driftChecks;
  const summary = `departure of ${hostname}`;
  for (;;) {
    const waitMs = await checkDeparture.executeWithOptions({ summary }, [id]);
    if (waitMs === null) return;
    await sleep(waitMs);
  }
}

/** Starts the checks in a run of their own, so that the connection's run ends with the archive. */
export async function startDeparture({ id, tenantId, hostname }: ConnectionSnapshot): Promise<void> {
  if (!patched('departure')) return;
  try {
    await startChild<typeof departure>(DEPARTURE_WORKFLOW, {
      workflowId: departureWorkflowId({ id, hostname }),
      args: [{ id, tenantId, hostname }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    // A late message starts the connection's workflow again after the archive, while the first departure still runs.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
