import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Returns the causes of a run's failed workflow tasks. */
export const failedTasksOf = async (run: WorkflowHandle): Promise<string[]> =>
  historyToJSON(await run.fetchHistory()).match(/WORKFLOW_TASK_FAILED_CAUSE_\w+/g) ?? [];
