import type { Lab } from '../support/fixtures/workflow-lab.ts';

/** Returns the workflow ids of all open runs. */
export async function openRuns({ env }: Lab): Promise<string[]> {
  const { workflowService: service, options } = env.client;
  const ids: string[] = [];
  let nextPageToken = new Uint8Array();
  do {
    const page = await service.listOpenWorkflowExecutions({
      namespace: options.namespace,
      startTimeFilter: {},
      nextPageToken,
    });
    ids.push(...page.executions.map(({ execution }) => execution?.workflowId ?? ''));
    nextPageToken = new Uint8Array(page.nextPageToken);
  } while (nextPageToken.length > 0);
  return ids;
}

/** Returns the activities that open runs wait for, those with the most attempts first. */
export async function pendingActivities(lab: Lab): Promise<string> {
  const pending: { attempt: number; line: string }[] = [];
  for (const id of await openRuns(lab)) {
    const { raw } = await lab.env.client.workflow.getHandle(id).describe();
    for (const { activityType, attempt, lastFailure } of raw.pendingActivities ?? [])
      pending.push({
        attempt: attempt ?? 0,
        line: `${id} ${activityType?.name} ${attempt} ${lastFailure?.message ?? ''}`,
      });
    if (raw.pendingWorkflowTask) pending.push({ attempt: Infinity, line: `${id} workflow task` });
  }
  const lines = pending.toSorted((a, b) => b.attempt - a.attempt).map(({ line }) => line);
  return ['A skipped time is slow. Open runs wait for:', ...lines.slice(0, 10)].join('\n  ');
}
